import type { Writable } from "node:stream";
import { type ExitCode, exitCodes, type Host } from "../host/host.ts";

const enough = ["drain", "close", "error"];

/** The last action of most commands, so it returns their exit code. */
export async function printLines({ stdout }: Host, lines: readonly string[]): Promise<ExitCode> {
  await write(stdout, lines.map((line) => `${line}\n`).join(""));
  return exitCodes.completed;
}

/** Prints one JSON document, for programs. */
export async function printJson(host: Host, value: unknown): Promise<ExitCode> {
  return await printLines(host, [toPlainJson(value, 2)]);
}

export function toPlainJson(value: unknown, indent?: number): string {
  return escapeControls(JSON.stringify(value, undefined, indent));
}

/** JSON allows raw control characters outside ASCII, and some terminals obey them. The escaped JSON is equivalent. */
export function escapeControls(json: string): string {
  return json.replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Writes no faster than the reader reads. A reader that went away (`caret … | head`) is not an error: the rest is dropped. */
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
