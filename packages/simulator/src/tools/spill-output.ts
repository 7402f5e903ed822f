import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Above this size an output goes to a file, and only its two ends stay on the wire. */
export const FILE_OUTPUT_THRESHOLD_BYTES = 40_000;

const KEPT_CHARACTERS = 10_000;

interface SpilledOutput {
  readonly outputLocation: {
    readonly filePath: string;
    readonly sizeBytes: string;
    readonly lineCount: string;
  };
  readonly outputHead: string;
  readonly outputTail: string;
  readonly elidedChars: number;
}

/** Writes a long output to a file and says where; a short one is left alone. */
export function spillOutput(text: string, file: { directory: string; name: string }): SpilledOutput | undefined {
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= FILE_OUTPUT_THRESHOLD_BYTES) return undefined;
  mkdirSync(file.directory, { recursive: true });
  const filePath = join(file.directory, `${file.name}.txt`);
  writeFileSync(filePath, text);
  return {
    outputLocation: { filePath, sizeBytes: String(sizeBytes), lineCount: String(text.split("\n").length) },
    outputHead: text.slice(0, KEPT_CHARACTERS),
    outputTail: text.slice(-KEPT_CHARACTERS),
    elidedChars: Math.max(0, text.length - 2 * KEPT_CHARACTERS),
  };
}

/** A long text cut to its two ends, with a note about what is missing. */
export function elide(text: string): string {
  if (Buffer.byteLength(text) <= FILE_OUTPUT_THRESHOLD_BYTES) return text;
  const missing = Math.max(0, text.length - 2 * KEPT_CHARACTERS);
  return `${text.slice(0, KEPT_CHARACTERS)}\n… ${missing} characters left out …\n${text.slice(-KEPT_CHARACTERS)}`;
}
