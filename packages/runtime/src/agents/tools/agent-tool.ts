import type { Agents, AgentView, Caller } from "@caret/protocol";
import { defineTool, type Tool, type ToolContext, type ToolOutput } from "../../tools/tool.ts";

/** Owner of the tools: an agent speaks in its own name, whatever a call says. */
export interface AgentIdentity {
  readonly agents: Agents;
  readonly name: string;
  readonly caller: Caller;
}

interface AgentTool<Input> {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly timeLimitMs?: number;
  run(input: Input, signal: AbortSignal): Promise<string>;
}

export function agentTool<Input>(wanted: AgentTool<Input>): Tool {
  const { name, description, properties, required = [], timeLimitMs } = wanted;
  return defineTool<Input>({
    name,
    description,
    kind: "other",
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    ...(timeLimitMs === undefined ? {} : { timeLimitMs }),
    async run(input, { signal }: ToolContext): Promise<ToolOutput> {
      return { output: await wanted.run(input, signal) };
    },
  });
}

/** An agent as shown to another one: nothing of its log. */
export function shownAgent({ name, doing, report, workspace, createdBy, waiting }: AgentView): object {
  return {
    name,
    doing: doing.kind,
    waiting,
    workspace,
    createdBy,
    ...(report === undefined ? {} : { report: report.text }),
  };
}

export const text = { type: "string", minLength: 1 };
