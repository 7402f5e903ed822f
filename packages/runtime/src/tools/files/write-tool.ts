import { CaretError } from "@caret/protocol";
import { type CallPreview, defineTool, type Tool } from "../tool.ts";
import { changeDiff, countWords, lineWords } from "./change-diff.ts";
import { type ConfinedPlace, withConfined } from "./confined-path.ts";
import { toFileDiff } from "./file-diff.ts";
import { hasCode } from "./file-error.ts";
import { replaceFile } from "./replace-file.ts";
import { assertAsShown, stateOfText } from "./shown-state.ts";
import { readWholeText } from "./text-content.ts";
import type { WriteQueue } from "./write-queue.ts";

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
    async preview({ path, content }, { workspace, places }) {
      const found = await withConfined({ workspace, places, path, changes: true }, async (place) => ({
        place: place.path,
        old: await readOld(place),
      })).catch((reason: unknown) => {
        // A directory on the way is missing, and will be made.
        if (CaretError.is(reason) && reason.code === "not-found") return { place: path, old: absent };
        throw reason;
      });
      return await previewOf(found.place, found.old, content);
    },
    run({ path, content }, context) {
      const { workspace, places, signal } = context;
      return withConfined({ workspace, places, path, changes: true, createParents: true }, (place) =>
        queue(`${workspace}\0${place.path}`, async () => {
          signal.throwIfAborted();
          const { exists, text, state } = await readOld(place);
          assertAsShown(context, state, place.path);
          await replaceFile(place, content);
          const output = `${exists ? "Replaced" : "Created"} ${place.path} (${Buffer.byteLength(content)} bytes)`;
          const isComparable = !exists || text !== undefined;
          const diff = isComparable ? toFileDiff(place.path, text, content) : { path: place.path };
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

async function readOld(place: ConfinedPlace): Promise<OldContent> {
  const file = await place.directory.openFile(place.name).catch((reason: unknown) => {
    if (hasCode(reason, "ENOENT")) return undefined;
    throw reason;
  });
  if (file === undefined) return absent;
  try {
    const text = await readWholeText(file, place.path, MAX_COMPARED_BYTES);
    return { exists: true, text, state: stateOfText(text) };
  } catch (reason) {
    if (!CaretError.is(reason) || (reason.code !== "too-large" && reason.code !== "unsupported")) throw reason;
    const { ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    return { exists: true, why: reason.message, state: [ino, size, mtimeNs, ctimeNs].join(" ") };
  } finally {
    await file.close();
  }
}
