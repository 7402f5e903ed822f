import type { FileHandle } from "node:fs/promises";
import { CaretError } from "@caret/protocol";

/** Enough to recognise a binary file by. */
const SAMPLE_BYTES = 8 * 1024;

/** Text holds no NUL; nearly everything else does early on. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SAMPLE_BYTES).includes(0);
}

/** The whole content, exactly: a file that is not UTF-8 text is refused, because writing it back would spoil it. */
export async function readWholeText(file: FileHandle, path: string, maxBytes: number): Promise<string> {
  const { size } = await file.stat();
  if (size > maxBytes) throw new CaretError("too-large", `${path} has ${size} bytes; the limit here is ${maxBytes}`);
  const bytes = await file.readFile();
  try {
    if (isBinary(bytes)) throw new TypeError("NUL in text");
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CaretError("unsupported", `${path} is a binary file of ${size} bytes, not UTF-8 text`, { cause });
  }
}
