import { readFile } from "node:fs/promises";
import { CaretError } from "@caret/protocol";
import type { Host } from "../host/host.ts";
import { write } from "./print.ts";

const MAX_BYTES = 64 * 1024 * 1024;
/** If standard input was left open by mistake, the command would otherwise wait forever without a message. */
const PATIENCE_MS = 3000;

export interface PromptSource {
  /** The words on the command line; `-` stands for standard input. */
  readonly words: readonly string[];
  readonly file: string | undefined;
}

/**
 * Joins the words of the command line, the file and the piped text with blank lines. So a pipe alone is the prompt, and a pipe in addition
 * to words is what they are about.
 */
export async function readPrompt(host: Host, { words, file }: PromptSource): Promise<string> {
  const typed = words.filter((word) => word !== "-").join(" ");
  const named = file === undefined ? "" : await readPromptFile(file);
  const piped = words.includes("-") || host.stdin.isTTY !== true ? await readPiped(host) : "";
  const prompt = [typed, named, piped].filter((part) => part.trim() !== "").join("\n\n");
  if (prompt === "")
    throw new CaretError("invalid-request", "There is nothing to ask: the prompt is empty", {
      fix: 'Write the prompt behind the command, `caret run "fix the tests"`, name a file with --file, or pipe it in.',
    });
  if (prompt.includes("\0"))
    throw new CaretError("invalid-request", "The prompt contains a NUL character", {
      fix: "Take the NUL out of the prompt; a binary file is no prompt.",
    });
  return prompt;
}

async function readPromptFile(file: string): Promise<string> {
  try {
    return asText(await readFile(file));
  } catch (cause) {
    if (CaretError.is(cause)) throw cause;
    throw new CaretError("invalid-request", `Cannot read ${file}`, { cause, fix: "Name a file that can be read." });
  }
}

async function readPiped({ stdin, stderr }: Host): Promise<string> {
  const patience = setTimeout(() => {
    void write(stderr, "caret: waiting for standard input to end; to do without it, add `< /dev/null`\n");
  }, PATIENCE_MS);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stdin) {
      const piece = Buffer.from(chunk as Uint8Array | string);
      bytes += piece.length;
      if (bytes > MAX_BYTES) break;
      chunks.push(piece);
    }
  } finally {
    clearTimeout(patience);
  }
  if (bytes > MAX_BYTES) throw tooLarge();
  return asText(Buffer.concat(chunks));
}

function asText(bytes: Buffer): string {
  if (bytes.length > MAX_BYTES) throw tooLarge();
  // The final line end of files and `echo` is not part of the prompt.
  return bytes
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .trimEnd();
}

function tooLarge(): CaretError {
  return new CaretError("too-large", "The prompt is larger than 64 MiB", {
    fix: "Name the file in the prompt and let the agent read it.",
  });
}
