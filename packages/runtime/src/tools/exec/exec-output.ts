import type { CommandData } from "../../calls/tool-data.ts";
import type { CutOutput } from "../outputs/output-collector.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";

/** How a command ended, wherever it ran. */
export interface EndedCommand {
  readonly text: string;
  readonly cut: CutOutput | undefined;
  /** Undefined if it ended by itself. */
  readonly stopReason: string | undefined;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timeoutMs: number;
}

export function execOutput(ended: EndedCommand, { exact }: Pick<ToolContext, "exact">): ToolOutput {
  return exact === undefined ? inWords(ended) : { ...inWords(ended), data: toData(ended) };
}

function toData({ text, cut, stopReason, exitCode, signal }: EndedCommand): CommandData {
  return {
    kind: "command",
    output: text,
    cut,
    exitCode: exitCode ?? undefined,
    signal: signal ?? undefined,
    stopped: stopReason === undefined ? undefined : stopReason === "timeout" ? "timeout" : "cancelled",
  };
}

function inWords({ text, stopReason, exitCode, signal, timeoutMs }: EndedCommand): ToolOutput {
  if (stopReason === "timeout")
    return { output: withNote(text, `stopped: it did not end within ${timeoutMs} ms`), failure: "timeout" };
  if (stopReason !== undefined) return { output: withNote(text, "stopped: cancelled"), failure: "unknown" };
  if (exitCode === null) return { output: withNote(text, `killed by ${signal}`), failure: "tool_error" };
  if (exitCode === 0) return { output: text, exitCode: 0 };
  return { output: withNote(text, `exit code ${exitCode}`), failure: "tool_error", exitCode };
}

export function withNote(text: string, note: string): string {
  return text === "" || text.endsWith("\n") ? `${text}[${note}]` : `${text}\n[${note}]`;
}
