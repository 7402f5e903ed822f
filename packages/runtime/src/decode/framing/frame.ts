import type { JsonObject } from "@caret/protocol";
/** What a line of an agent's output turned out to be. */
export type Frame =
  /** One object. `sentinel` if it came between sentinel lines. */
  | { readonly kind: "object"; readonly value: JsonObject; readonly sentinel: boolean }
  /** Deltas recognised by their first and last bytes, so the commonest lines are never fully parsed. */
  | { readonly kind: "text-delta"; readonly text: string }
  | { readonly kind: "thinking-delta"; readonly text: string; readonly at: number }
  /** Not for us: banners, progress, values that are not objects. */
  | { readonly kind: "noise"; readonly text: string }
  /** A broken frame: cut JSON, a sentinel without its partner. */
  | { readonly kind: "malformed"; readonly text: string; readonly reason: string };
