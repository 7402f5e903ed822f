import type { FileHandle } from "node:fs/promises";
import { CaretError } from "@caret/protocol";
import { MAX_OUTPUT_BYTES } from "../outputs/output-collector.ts";
import { defineTool, type Tool } from "../tool.ts";
import { withConfined } from "./confined-path.ts";
import { editorText } from "./editor-files.ts";

/** Enough to recognise a binary file by. */
const SAMPLE_BYTES = 8 * 1024;

const DEFAULT_LINES = 2_000;
/** Leaves room for the note. */
const MAX_BYTES = MAX_OUTPUT_BYTES - 1024;
const MAX_LINE_LENGTH = 8 * 1024;

interface ReadInput {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

export const readTool: Tool = defineTool<ReadInput>({
  name: "read",
  description: "Read a text file of the workspace, whole or some of its lines. A note says when there is more.",
  kind: "read",
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1 },
      offset: { type: "integer", minimum: 1, description: "The first line to read; lines count from 1." },
      limit: { type: "integer", minimum: 1, description: `How many lines at most; ${DEFAULT_LINES} by default.` },
    },
    required: ["path"],
    additionalProperties: false,
  },
  run({ path, offset = 1, limit = DEFAULT_LINES }, context) {
    const { workspace, judgedPaths, signal } = context;
    return withConfined({ workspace, judgedPaths, path }, async (target) => {
      const window = new LineWindow(offset, limit);
      const inEditor = await editorText(target, context);
      if (inEditor !== undefined) {
        if (window.push(inEditor)) window.end();
        return { output: window.text() };
      }
      const file = await target.directory.openFile(target.name);
      try {
        await readLines(file, path, window, signal);
        return { output: window.text() };
      } finally {
        await file.close();
      }
    });
  },
});

async function readLines(file: FileHandle, path: string, window: LineWindow, signal: AbortSignal): Promise<void> {
  const decoder = new TextDecoder("utf-8");
  let isFirst = true;
  for await (const chunk of file.createReadStream({ autoClose: false, signal })) {
    const bytes = chunk as Buffer;
    if (isFirst && isBinary(bytes)) {
      const { size } = await file.stat();
      throw new CaretError("unsupported", `${path} is a binary file of ${size} bytes and cannot be shown as text`);
    }
    isFirst = false;
    if (!window.push(decoder.decode(bytes, { stream: true }))) return;
  }
  window.push(decoder.decode());
  window.end();
}

/** The wanted lines of a file that is read in pieces, with a word about everything that was left out. */
class LineWindow {
  readonly #from: number;
  readonly #limit: number;
  readonly #lines: string[] = [];
  #line = 1;
  #bytes = 0;
  #open = "";
  #openLength = 0;
  #isCut = false;

  constructor(from: number, limit: number) {
    this.#from = from;
    this.#limit = limit;
  }

  /** False when nothing more is wanted. */
  push(text: string): boolean {
    const parts = text.split("\n");
    const last = parts.pop() ?? "";
    for (const part of parts) {
      this.#extend(part);
      if (!this.#finishLine()) return false;
    }
    this.#extend(last);
    return true;
  }

  end(): void {
    if (this.#openLength > 0) this.#finishLine();
  }

  text(): string {
    const shown = this.#lines.join("\n");
    const next = this.#from + this.#lines.length;
    if (this.#isCut) return `${shown}\n[There is more: continue with offset ${next}.]`;
    if (this.#lines.length > 0) return shown;
    return this.#line === 1 ? "[The file is empty.]" : `[The file has only ${this.#line - 1} lines.]`;
  }

  #extend(part: string): void {
    this.#openLength += part.length;
    if (this.#open.length < MAX_LINE_LENGTH) this.#open += part.slice(0, MAX_LINE_LENGTH - this.#open.length);
  }

  #finishLine(): boolean {
    const rest = this.#openLength - this.#open.length;
    const line = rest === 0 ? this.#open : `${this.#open} [… line cut: ${rest} more characters]`;
    this.#open = "";
    this.#openLength = 0;
    if (this.#line >= this.#from) {
      const bytes = Buffer.byteLength(line) + 1;
      this.#isCut = this.#lines.length >= this.#limit || this.#bytes + bytes > MAX_BYTES;
      if (this.#isCut) return false;
      this.#lines.push(line);
      this.#bytes += bytes;
    }
    this.#line += 1;
    return true;
  }
}

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
