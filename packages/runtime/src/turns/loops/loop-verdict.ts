import type { AgentEventOf, CaretError } from "@caret/protocol";

export type LoopVerdict =
  | { readonly kind: "proceed" }
  /** The call ran. Append `text` to its result. */
  | { readonly kind: "warn"; readonly text: string; readonly notice: AgentEventOf<"notice"> }
  /** The call must not run, or never did. `text` is its result. */
  | { readonly kind: "block"; readonly text: string; readonly notice: AgentEventOf<"notice"> }
  /** The turn fails with `error`, whose code is `loop-stopped`. */
  | { readonly kind: "end"; readonly error: CaretError };

export interface LoopDetail {
  readonly tool: string;
  readonly repeats: number;
}

export function loopNotice(message: string, detail: LoopDetail): AgentEventOf<"notice"> {
  return { type: "notice", kind: "loop-warning", message, detail };
}
