import { CaretError, type ErrorCode } from "@caret/protocol";
import type { OutcomeClass, ToolOutput } from "./tool.ts";

type Failure = Exclude<OutcomeClass, "success">;

/** Codes that a tool's failure is told apart by; every other code is the tool's own trouble. */
const classes: Partial<Record<ErrorCode, Failure>> = {
  "invalid-request": "validation",
  "not-found": "not_found",
  "tool-unknown": "not_found",
  forbidden: "permission",
  "workspace-forbidden": "permission",
  "timed-out": "timeout",
  internal: "unknown",
};

/** A tool's failure as an output. The message is for the model; the cause stays here. */
export function toFailedOutput(reason: unknown): ToolOutput & { readonly failure: Failure } {
  const error = CaretError.from(reason);
  const upstream = error.upstream === undefined ? "" : `\n${error.upstream}`;
  return { output: `${error.message}${upstream}`, failure: classes[error.code] ?? "tool_error" };
}
