import type { FileHandle } from "node:fs/promises";
import { CaretError } from "@caret/protocol";
import type { ExactAsk, FileData } from "../../calls/tool-data.ts";
import { MAX_OUTPUT_BYTES } from "../outputs/output-collector.ts";
import { defineTool, type Tool, type ToolOutput } from "../tool.ts";
import { type ConfinedPath, withConfined } from "./confined-path.ts";
import { editorText } from "./editor-files.ts";
import { type ByteSource, readExactLines } from "./read-lines.ts";
import { isBinary, utf8Text } from "./text-encodings.ts";

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
      if (context.exact !== undefined) return await readExactly(target, inEditor, context.exact);
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

/** For a program: the bytes themselves. The log shows how they begin. */
async function readExactly(
  target: ConfinedPath,
  inEditor: string | undefined,
  { range }: ExactAsk,
): Promise<ToolOutput> {
  if (inEditor !== undefined) {
    if (!inEditor.isWellFormed())
      throw new CaretError("unsupported", `The editor's text of ${target.path} has half a character in it`);
    return toExactOutput({ ...(await readExactLines(bytesOf(inEditor), target.path, range)), isEditorText: true });
  }
  const file = await target.directory.openFile(target.name);
  try {
    const { size } = await file.stat();
    const read = async (position: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    };
    return toExactOutput(await readExactLines({ size, read }, target.path, range));
  } finally {
    await file.close();
  }
}

function bytesOf(text: string): ByteSource {
  const bytes = Buffer.from(text);
  return { size: bytes.length, read: async (position, length) => bytes.subarray(position, position + length) };
}

function toExactOutput(data: FileData): ToolOutput {
  const text = isBinary(data.bytes) ? undefined : utf8Text(data.bytes);
  if (text === undefined) return { output: `[${data.bytes.length} bytes that are no UTF-8 text.]`, data };
  const window = new LineWindow(1, DEFAULT_LINES);
  if (window.push(text)) window.end();
  return { output: window.text(), data };
}

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

/** The wanted lines of a file read in pieces, with a note about everything left out. */
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

  /** False once nothing more is wanted. */
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

/** The exact content: a file that is not UTF-8 is refused, because writing it back would corrupt it. */
export async function readWholeText(file: FileHandle, path: string, maxBytes: number): Promise<string> {
  const { size } = await file.stat();
  if (size > maxBytes) throw new CaretError("too-large", `${path} has ${size} bytes; the limit here is ${maxBytes}`);
  const bytes = await file.readFile();
  const text = isBinary(bytes) ? undefined : utf8Text(bytes);
  if (text !== undefined) return text;
  throw new CaretError("unsupported", `${path} is a binary file of ${size} bytes, not UTF-8 text`);
}
