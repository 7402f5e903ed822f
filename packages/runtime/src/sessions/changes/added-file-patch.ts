import { CaretError } from "@caret/protocol";
import type { FilePatch } from "../../git/patches.ts";
import { withConfined } from "../../tools/files/confined-path.ts";
import { readWholeText } from "../../tools/files/read-tool.ts";

const MAX_BYTES = 64 * 1024;

/** A new file as a patch. Undefined when it is large, binary, gone, or no file of the workspace: a link is not followed. */
export async function addedFilePatch(workspace: string, path: string): Promise<FilePatch | undefined> {
  const text = await readSmallText(workspace, path);
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  const isWhole = lines.at(-1) === "";
  const added = isWhole ? lines.slice(0, -1) : lines;
  const head = `--- /dev/null\n+++ b/${path}\n`;
  const body = added.map((line) => `+${line}\n`).join("");
  const unified =
    text === ""
      ? head
      : `${head}@@ -0,0 +1,${added.length} @@\n${body}${isWhole ? "" : "\\ No newline at end of file\n"}`;
  return { path, unified, additions: text === "" ? 0 : added.length, deletions: 0 };
}

async function readSmallText(workspace: string, path: string): Promise<string | undefined> {
  try {
    return await withConfined({ workspace, path, followLast: false }, async ({ directory, name }) => {
      const file = await directory.openFile(name);
      try {
        return await readWholeText(file, path, MAX_BYTES);
      } finally {
        await file.close();
      }
    });
  } catch (reason) {
    // It is listed all the same, without its text.
    if (CaretError.is(reason)) return undefined;
    throw reason;
  }
}
