import type { Caller } from "@caret/protocol";
import type { AnswerCall } from "../../calls/tool-call.ts";
import { offerTools, type ToolOffer } from "../../lanes/offered-tools.ts";
import { createPolicy } from "../../policy/policy.ts";
import type { PolicyRule } from "../../policy/policy-parts.ts";
import type { Spawner } from "../../process/child-handle.ts";
import type { OutputStore } from "../../tools/outputs/output-store.ts";
import { createToolRegistry, type ToolCallResult } from "../../tools/tool-registry.ts";
import type { AgentIdentity } from "../tools/agent-tool.ts";
import { createAgentTools } from "../tools/create-agent-tools.ts";

export interface AgentCallsOptions extends AgentIdentity {
  readonly caller: Caller;
  /** The user's own rules; they apply whatever the agent's permission. */
  readonly rules: readonly PolicyRule[];
  readonly outputs: OutputStore;
  readonly spawner: Spawner;
  readonly newId: () => string;
}

/** The tools of one agent, for a connection on which only this agent speaks. Failures are results. */
export interface AgentCalls {
  readonly offer: ToolOffer;
  readonly call: AnswerCall;
}

export function createAgentCalls(options: AgentCallsOptions): AgentCalls {
  const { agents, name, caller, rules, outputs, spawner, newId } = options;
  const registry = createToolRegistry(createAgentTools(options), { outputs });
  const offered = registry.list().map(({ name: tool, description, inputSchema }) => ({
    name: tool,
    description,
    inputSchema,
  }));
  return {
    offer: offerTools(offered),
    async call({ name: called, input }, signal) {
      const { permission, workspace } = await agents.get(name, caller);
      const policy = createPolicy({ mode: permission, rules, workspace, attended: false, newRequestId: newId });
      const kind = registry.find(called)?.kind ?? "other";
      const { effect, reason } = policy.decide({ tool: called, kind, input });
      if (effect !== "allow") return { text: `${called} was not run: ${reason}`, isError: true, isRejected: true };
      const context = { workspace, signal, spawner, env: {}, now: () => performance.now() };
      return toAnswer(await registry.call(called, input, context));
    },
  };
}

function toAnswer({ status, output }: ToolCallResult): Awaited<ReturnType<AnswerCall>> {
  return { text: output, isError: status !== "ok" };
}
