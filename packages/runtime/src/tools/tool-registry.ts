import { CaretError, type FileDiff } from "@caret/protocol";
import type { OutcomeClass } from "../calls/tool-call.ts";
import type { ToolData } from "../calls/tool-data.ts";
import { didYouMean } from "../models/did-you-mean.ts";
import { createInputValidators } from "./input-validator.ts";
import type { OutputStore } from "./outputs/output-store.ts";
import { runLimited } from "./run-limited.ts";
import { type CallPreview, type Tool, type ToolContext, type ToolOutput, toFailedOutput } from "./tool.ts";

export interface ToolCallResult {
  /** `rejected`: it never ran. `interrupted`: the turn was cancelled while it ran. */
  readonly status: "ok" | "error" | "rejected" | "interrupted";
  /** It was interrupted before it started. */
  readonly notRun?: true;
  readonly output: string;
  readonly outcomeClass: OutcomeClass;
  readonly exitCode?: number;
  readonly diff?: FileDiff;
  /** Only for calls with `exact`. */
  readonly data?: ToolData;
  readonly durationMs: number;
}

/** A dynamic source of tools, such as an MCP server. */
export interface ToolSource {
  tools(): readonly Tool[];
}

export interface ToolRegistryOptions {
  /** Where the rest of a long output is kept. */
  readonly outputs: OutputStore;
  readonly sources?: readonly ToolSource[];
}

/** The tools the gateway runs. Calls never throw: every outcome is a result the model can read. */
export interface ToolRegistry {
  list(): readonly Tool[];
  /** By name or alias. */
  find(name: string): Tool | undefined;
  call(name: string, input: unknown, context: ToolContext): Promise<ToolCallResult>;
  /** What the call would do or, if it cannot be done, the failed result. */
  preview(
    name: string,
    input: unknown,
    context: ToolContext,
  ): Promise<{ readonly preview: CallPreview } | { readonly failed: ToolCallResult }>;
}

type Verdict = Omit<ToolCallResult, "durationMs">;

export function createToolRegistry(
  tools: readonly Tool[],
  { outputs, sources = [] }: ToolRegistryOptions,
): ToolRegistry {
  assertDistinct(tools);
  const validatorOf = createInputValidators();
  const list = (): readonly Tool[] => withoutDoubles([...tools, ...sources.flatMap((source) => source.tools())]);
  const find = (name: string): Tool | undefined => {
    const all = list();
    return all.find((tool) => tool.name === name) ?? all.find((tool) => tool.aliases?.includes(name));
  };

  /** Returns the tool, or a verdict if it does not exist or cannot be called this way. */
  const admit = (name: string, input: unknown): Tool | Verdict => {
    const tool = find(name);
    if (tool === undefined) return reject("not_found", unknownTool(name, list()));
    const complaints = validatorOf(tool.inputSchema)(input);
    if (complaints.length === 0) return tool;
    return reject("validation", `Invalid arguments for ${tool.name}: ${complaints.join("; ")}`);
  };

  const judge = async (name: string, input: unknown, context: ToolContext): Promise<Verdict> => {
    const admitted = admit(name, input);
    if ("status" in admitted) return admitted;
    const { output, stopped } = await runLimited(admitted, input, context);
    return toVerdict({ ...output, output: await outputs.cap(output.output) }, stopped);
  };

  return {
    list,
    find,
    async call(name, input, context) {
      const startedAt = context.now();
      const verdict = await judge(name, input ?? {}, context).catch((reason) => toFailed(reason, context));
      return { ...verdict, durationMs: context.now() - startedAt };
    },
    async preview(name, input, context) {
      const startedAt = context.now();
      const failed = (verdict: Verdict) => ({ failed: { ...verdict, durationMs: context.now() - startedAt } });
      try {
        const admitted = admit(name, input ?? {});
        if ("status" in admitted) return failed(admitted);
        return { preview: (await admitted.preview?.(input ?? {}, context)) ?? {} };
      } catch (reason) {
        // The model reads it just like a failure of the call itself.
        return failed(toFailed(reason, context));
      }
    },
  };
}

function toFailed(reason: unknown, context: ToolContext): Verdict {
  const { failure, ...output } = toFailedOutput(reason, context);
  return { ...output, status: "error", outcomeClass: failure };
}

function toVerdict({ failure, ...output }: ToolOutput, stopped: "cancelled" | "timed-out" | undefined): Verdict {
  if (failure === undefined) return { ...output, status: "ok", outcomeClass: "success" };
  if (stopped === "cancelled") return { ...output, status: "interrupted", outcomeClass: "unknown" };
  return { ...output, status: "error", outcomeClass: stopped === "timed-out" ? "timeout" : failure };
}

function reject(outcomeClass: OutcomeClass, output: string): Verdict {
  return { status: "rejected", output, outcomeClass };
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  return `There is no tool named \`${name.slice(0, 100)}\`. ${didYouMean(name, names)}The tools are ${names.join(", ")}.`;
}

function assertDistinct(tools: readonly Tool[]): void {
  const names = tools.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double !== undefined) throw new CaretError("invalid-config", `Two tools are named \`${double}\``);
}

/** A server cannot take over the calls of our tools, or of an earlier server, by reusing a name. */
function withoutDoubles(tools: readonly Tool[]): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()];
}
