import { CaretError } from "@caret/protocol";

/** Throws for words that no turn can begin with. Checked where they are taken, too: in a queue they would hold up what stands behind them. */
export function assertPrompt(prompt: string): void {
  if (prompt.trim() === "") throw new CaretError("invalid-request", "The prompt is empty");
  if (prompt.includes("\0"))
    throw new CaretError("invalid-request", "The prompt contains a NUL character", {
      fix: "Take the NUL out of the prompt.",
    });
}
