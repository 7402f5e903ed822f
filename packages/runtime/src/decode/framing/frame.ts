import type { JsonObject } from "@caret/protocol";
/** What a line of an agent's output turned out to be. */
export type Frame =
  /** One object. `sentinel` when it came between sentinel lines. */
  | { readonly kind: "object"; readonly value: JsonObject; readonly sentinel: boolean }
  /** Deltas recognised by their first and last bytes, so that the commonest lines are never parsed whole. */
  | { readonly kind: "text-delta"; readonly text: string }
  | { readonly kind: "thinking-delta"; readonly text: string; readonly at: number }
  /** Something that is not for us: banners, progress, values that are no objects. */
  | { readonly kind: "noise"; readonly text: string }
  /** Something that was meant as a frame and is broken: cut JSON, a sentinel without its partner. */
  | { readonly kind: "malformed"; readonly text: string; readonly reason: string };
