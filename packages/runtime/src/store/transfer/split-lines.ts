import { CaretError } from "@caret/protocol";
import { createLineSplitter } from "../../framing/line-splitter.ts";

/** The lines of a file as it arrives. Empty ones, which an editor may have left, are skipped. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array | string>,
  { maxLineBytes }: { readonly maxLineBytes: number },
): AsyncGenerator<string, void, undefined> {
  const splitter = createLineSplitter({ maxLineBytes });
  for await (const chunk of chunks) {
    const { lines, failure } = splitter.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    yield* lines;
    if (failure !== undefined)
      throw new CaretError("too-large", `A line of the session file is longer than ${maxLineBytes} bytes`, {
        cause: failure,
        fix: "Check that this is a session that Caret exported.",
      });
  }
  yield* splitter.end().lines;
}
