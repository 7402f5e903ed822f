import { CaretError } from "@caret/protocol";

/** Lines end with a newline and with nothing else: U+2028 is an ordinary character inside JSON. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array | string>,
  { maxLineLength }: { readonly maxLineLength: number },
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;

  for await (const chunk of chunks) {
    const pieces = (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).split("\n");
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        yield parts.join("");
        parts = [];
        length = 0;
      }
      parts.push(piece);
      length += piece.length;
      if (length > maxLineLength)
        throw new CaretError("too-large", `A line is longer than ${maxLineLength} characters`);
    }
  }
  const last = parts.join("") + decoder.decode();
  if (last !== "") yield last;
}
