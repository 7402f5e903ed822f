import { CaretError } from "@caret/protocol";

/** Throws for a prompt that no turn can start with. Also checked when a prompt is queued: a bad one would block those behind it. */
export function assertPrompt(prompt: string): void {
  if (prompt.trim() === "") throw new CaretError("invalid-request", "The prompt is empty");
  if (prompt.includes("\0"))
    throw new CaretError("invalid-request", "The prompt contains a NUL character", {
      fix: "Take the NUL out of the prompt.",
    });
}
