import { CaretError } from "@caret/protocol";
import { type CallPreview, defineTool, type Tool, type ToolContext } from "../tool.ts";
import { assertAsShown, changeDiff, countWords, lineWords, stateOfText, toFileDiff } from "./change-diff.ts";
import { type ConfinedPath, withConfined } from "./confined-path.ts";
import { editorText, saveText } from "./editor-files.ts";
import { hasCode } from "./file-error.ts";
import { readWholeText } from "./read-tool.ts";

/** What is replaced is only read to show the difference. */
const MAX_COMPARED_BYTES = 1024 * 1024;

interface WriteInput {
  readonly path: string;
  readonly content: string;
}

export function createWriteTool({ queue }: { readonly queue: WriteQueue }): Tool {
  return defineTool<WriteInput>({
    name: "write",
    description: "Write a file of the workspace, replacing it when it exists. Missing directories are made.",
    kind: "write",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string", minLength: 1 }, content: { type: "string" } },
      required: ["path", "content"],
      additionalProperties: false,
    },
    async preview({ path, content }, context) {
      const { workspace, judgedPaths } = context;
      const found = await withConfined({ workspace, judgedPaths, path, changes: true }, async (target) => ({
        path: target.path,
        old: await readOld(target, context),
      })).catch((reason: unknown) => {
        // A directory on the way is missing, and will be made.
        if (CaretError.is(reason) && reason.code === "not-found") return { path, old: absent };
        throw reason;
      });
      return await previewOf(found.path, found.old, content);
    },
    run({ path, content }, context) {
      const { workspace, judgedPaths, signal } = context;
      return withConfined({ workspace, judgedPaths, path, changes: true, createParents: true }, (target) =>
        queue(`${workspace}\0${target.path}`, async () => {
          signal.throwIfAborted();
          const { exists, text, state } = await readOld(target, context);
          assertAsShown(context, state, target.path);
          await saveText(target, content, context);
          const output = `${exists ? "Replaced" : "Created"} ${target.path} (${Buffer.byteLength(content)} bytes)`;
          const isComparable = !exists || text !== undefined;
          const diff = isComparable ? toFileDiff(target.path, text, content) : { path: target.path };
          return { output, diff };
        }),
      );
    },
  });
}

interface OldContent {
  readonly exists: boolean;
  /** Absent when the old content is no text, or too much of it, to be compared with. */
  readonly text?: string;
  /** Why it has no text. */
  readonly why?: string;
  readonly state: string;
}

const absent: OldContent = { exists: false, state: stateOfText(undefined) };

async function previewOf(path: string, old: OldContent, content: string): Promise<CallPreview> {
  const { exists, text, why = "", state } = old;
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
  if (inEditor !== undefined) return { exists: true, text: inEditor, state: stateOfText(inEditor) };
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

/** Lets the writers of one file in one after the other. An agent may send several edits of a file at once. */
export type WriteQueue = <Value>(file: string, write: () => Promise<Value>) => Promise<Value>;

export function createWriteQueue(): WriteQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (file, write) => {
    const before = last.get(file) ?? Promise.resolve();
    // The previous write reported its own result; here only its end matters.
    const mine = before.then(write, write);
    last.set(file, mine);
    try {
      return await mine;
    } finally {
      if (last.get(file) === mine) last.delete(file);
    }
  };
}
