import { CaretError } from "@caret/protocol";
import { defineTool, type Tool } from "../tool.ts";
import { type ConfinedPlace, withConfined } from "./confined-path.ts";
import { toFileDiff } from "./file-diff.ts";
import { hasCode } from "./file-error.ts";
import { replaceFile } from "./replace-file.ts";
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
    run({ path, content }, { workspace, places, signal }) {
      return withConfined({ workspace, places, path, changes: true, createParents: true }, (place) =>
        queue(`${workspace}\0${place.path}`, async () => {
          signal.throwIfAborted();
          const { exists, text } = await readOld(place);
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

/** Without a text when the old content is none, or too much of it, to be compared with. */
async function readOld(place: ConfinedPlace): Promise<{ readonly exists: boolean; readonly text?: string }> {
  const file = await place.directory.openFile(place.name).catch((reason: unknown) => {
    if (hasCode(reason, "ENOENT")) return undefined;
    throw reason;
  });
  if (file === undefined) return { exists: false };
  try {
    return { exists: true, text: await readWholeText(file, place.path, MAX_COMPARED_BYTES) };
  } catch (reason) {
    if (CaretError.is(reason) && (reason.code === "too-large" || reason.code === "unsupported"))
      return { exists: true };
    throw reason;
  } finally {
    await file.close();
  }
}
