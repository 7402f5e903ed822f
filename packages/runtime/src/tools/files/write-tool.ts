import { CaretError } from "@caret/protocol";
import { type CallPreview, defineTool, type Tool, type ToolContext, type ToolOutput } from "../tool.ts";
import { assertAsShown, changeDiff, countWords, lineWords, stateOfText, toFileDiff } from "./change-diff.ts";
import { type ConfinedPath, withConfined } from "./confined-path.ts";
import { editorText, saveText } from "./editor-files.ts";
import { hasCode } from "./file-error.ts";
import { readWholeText } from "./read-tool.ts";
import { encodingOf, isBinary, utf8Text } from "./text-encodings.ts";

/** The old content is read only to show a diff. */
const MAX_COMPARED_BYTES = 1024 * 1024;

interface WriteInput {
  readonly path: string;
  readonly content: string;
  readonly encoding?: "base64";
}

export function createWriteTool({ queue }: { readonly queue: WriteQueue }): Tool {
  return defineTool<WriteInput>({
    name: "write",
    description: "Write a file of the workspace, replacing it when it exists. Missing directories are made.",
    kind: "write",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1 },
        content: { type: "string" },
        encoding: { enum: ["base64"], description: "Of content, for a file that is no text." },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    async preview({ path, ...input }, context) {
      const { workspace, judgedPaths } = context;
      const content = contentOf(input);
      const found = await withConfined({ workspace, judgedPaths, path, changes: context }, async (target) => ({
        path: target.path,
        old: await readOld(target, context),
      })).catch((reason: unknown) => {
        // A parent directory is missing and will be created.
        if (CaretError.is(reason) && reason.code === "not-found") return { path, old: absent };
        throw reason;
      });
      return await previewOf(found.path, found.old, content);
    },
    async run({ path, ...input }, context) {
      const { workspace, judgedPaths, signal } = context;
      const content = contentOf(input);
      return await withConfined({ workspace, judgedPaths, path, changes: context, createParents: true }, (target) =>
        queue(`${workspace}\0${target.path}`, async () => {
          signal.throwIfAborted();
          const old = await readOld(target, context);
          assertAsShown(context, old.state, target.path);
          const bytes = encoded(content, context);
          await saveText(target, old.isInEditor ? content : (bytes ?? content), context);
          return toOutput(target.path, old, { content, bytes }, context);
        }),
      );
    },
  });
}

/** Text, or bytes if the content is not text. */
function contentOf({ content, encoding }: Omit<WriteInput, "path">): string | Buffer {
  if (encoding === undefined) return content;
  const bytes = Buffer.from(content, "base64");
  if (bytes.toString("base64") !== content) throw new CaretError("invalid-request", "content is not base64");
  return (isBinary(bytes) ? undefined : utf8Text(bytes)) ?? bytes;
}

/** Undefined if the content is written unchanged. */
function encoded(content: string | Buffer, { exact }: ToolContext): Buffer | undefined {
  const name = exact?.encoding;
  if (name === undefined || typeof content !== "string") return undefined;
  const bytes = encodingOf(name)?.encode(content);
  if (bytes !== undefined) return bytes;
  throw new CaretError("unsupported", `The text cannot be encoded as ${name}: nothing was written`);
}

interface Written {
  readonly content: string | Buffer;
  readonly bytes: Buffer | undefined;
}

function toOutput(path: string, old: OldContent, written: Written, { exact }: ToolContext): ToolOutput {
  const { exists, text } = old;
  const { content, bytes = typeof content === "string" ? Buffer.from(content) : content } = written;
  const isComparable = typeof content === "string" && (!exists || text !== undefined);
  return {
    output: `${exists ? "Replaced" : "Created"} ${path} (${bytes.length} bytes)`,
    diff: isComparable ? toFileDiff(path, text, content) : { path },
    ...(exact === undefined ? {} : { data: { kind: "written", bytes } }),
  };
}

interface OldContent {
  readonly exists: boolean;
  readonly isInEditor?: true;
  /** Absent if the old content is not text, or too large to compare. */
  readonly text?: string;
  /** Why `text` is absent. */
  readonly why?: string;
  readonly state: string;
}

const absent: OldContent = { exists: false, state: stateOfText(undefined) };

async function previewOf(path: string, old: OldContent, content: string | Buffer): Promise<CallPreview> {
  const { exists, text, why = "", state } = old;
  if (typeof content !== "string") {
    const what = `${content.length} bytes that are no text`;
    return {
      effect: exists ? `Replaces all of ${path} by ${what}` : `Makes ${path} with ${what}`,
      diff: { path },
      state,
    };
  }
  if (!exists) {
    const { diff, added } = await changeDiff(path, undefined, content);
    return { effect: `Makes ${path} with ${lineWords(added)}`, diff, state };
  }
  if (text === undefined)
    return { effect: `Replaces all of ${path}, which cannot be shown: ${why}`, diff: { path, after: content }, state };
  const { diff, ...counts } = await changeDiff(path, text, content);
  return { effect: `Replaces all of ${path}: ${countWords(counts)}`, diff, state };
}

async function readOld(target: ConfinedPath, context: ToolContext): Promise<OldContent> {
  const inEditor = await editorText(target, context);
  if (inEditor !== undefined) return { exists: true, isInEditor: true, text: inEditor, state: stateOfText(inEditor) };
  const file = await target.directory.openFile(target.name).catch((reason: unknown) => {
    if (hasCode(reason, "ENOENT")) return undefined;
    throw reason;
  });
  if (file === undefined) return absent;
  try {
    const text = await readWholeText(file, target.path, MAX_COMPARED_BYTES);
    return { exists: true, text, state: stateOfText(text) };
  } catch (reason) {
    if (!CaretError.is(reason) || (reason.code !== "too-large" && reason.code !== "unsupported")) throw reason;
    const { ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    return { exists: true, why: reason.message, state: [ino, size, mtimeNs, ctimeNs].join(" ") };
  } finally {
    await file.close();
  }
}

/** Serialises writes to the same file. An agent can send several edits of a file at once. */
export type WriteQueue = <Value>(file: string, write: () => Promise<Value>) => Promise<Value>;

export function createWriteQueue(): WriteQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (file, write) => {
    const before = last.get(file) ?? Promise.resolve();
    // The previous write reports its own result; here only its end matters.
    const mine = before.then(write, write);
    last.set(file, mine);
    try {
      return await mine;
    } finally {
      if (last.get(file) === mine) last.delete(file);
    }
  };
}
