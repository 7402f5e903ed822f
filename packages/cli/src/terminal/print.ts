import type { Writable } from "node:stream";
import { type ExitCode, exitCodes, type Host } from "../host/host.ts";

const enough = ["drain", "close", "error"];

/** The last thing most commands do, so it gives the code they end with. */
export async function printLines({ stdout }: Host, lines: readonly string[]): Promise<ExitCode> {
  await write(stdout, lines.map((line) => `${line}\n`).join(""));
  return exitCodes.completed;
}

/** One JSON document, for programs. */
export async function printJson(host: Host, value: unknown): Promise<ExitCode> {
  return await printLines(host, [toPlainJson(value, 2)]);
}

export function toPlainJson(value: unknown, indent?: number): string {
  return escapeControls(JSON.stringify(value, undefined, indent));
}

/** JSON lets control characters through that are not ASCII, and some terminals obey them. It stays the same JSON. */
export function escapeControls(json: string): string {
  return json.replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Write no faster than the reader reads. A reader that went away (`caret … | head`) is no error: the rest is dropped. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (text === "" || stream.destroyed || !stream.writable) return;
  if (stream.write(text)) return;
  await new Promise<void>((resolve) => {
    const settle = (): void => {
      for (const event of enough) stream.off(event, settle);
      resolve();
    };
    for (const event of enough) stream.on(event, settle);
  });
}
