import { configureTextEncoding } from "@bufbuild/protobuf/wire";

/**
 * Makes message strings decode exactly as sent. The library's own decoder drops a byte order mark at the start of each string, so a
 * rewritten file would lose its mark. Call before reading messages; applies to the whole process.
 */
export function readTextExactly(): void {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
  configureTextEncoding({
    encodeUtf8: (text) => encoder.encode(text),
    encodeUtf8Into: (text, bytes) => encoder.encodeInto(text, bytes),
    decodeUtf8: (bytes, isStrict) => (isStrict === true ? strict : decoder).decode(bytes),
    checkUtf8: (text) => text.isWellFormed(),
  });
}
