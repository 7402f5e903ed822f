import { CaretError } from "@caret/protocol";
import { defineTool, type Tool, type ToolContext } from "../tool.ts";
import { assertAsShown, changeDiff, countWords, stateOfText, toFileDiff } from "./change-diff.ts";
import { type ConfinedPath, withConfined } from "./confined-path.ts";
import { editorText, saveText } from "./editor-files.ts";
import { readWholeText } from "./read-tool.ts";
import type { WriteQueue } from "./write-tool.ts";

const MAX_BYTES = 16 * 1024 * 1024;

interface EditInput {
  readonly path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

export function createEditTool({ queue }: { readonly queue: WriteQueue }): Tool {
  return defineTool<EditInput>({
    name: "edit",
    description:
      "Replace a piece of a text file of the workspace. old_string must occur exactly once, letter for letter, " +
      "unless replace_all is true.",
    kind: "edit",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1 },
        old_string: { type: "string", minLength: 1 },
        new_string: { type: "string" },
        replace_all: { type: "boolean" },
      },
      required: ["path", "old_string", "new_string"],
      additionalProperties: false,
    },
    preview(input, context) {
      const { workspace, judgedPaths } = context;
      return withConfined({ workspace, judgedPaths, path: input.path, changes: context }, async (target) => {
        const before = await readTarget(target, input.path, context);
        const { after } = replaceIn(before, input);
        const { diff, ...counts } = await changeDiff(target.path, before, after);
        return { effect: `Changes ${target.path}: ${countWords(counts)}`, diff, state: stateOfText(before) };
      });
    },
    run(input, context) {
      const { workspace, judgedPaths, signal } = context;
      return withConfined({ workspace, judgedPaths, path: input.path, changes: context }, (target) =>
        queue(`${workspace}\0${target.path}`, async () => {
          signal.throwIfAborted();
          const before = await readTarget(target, input.path, context);
          assertAsShown(context, stateOfText(before), target.path);
          const { after, count } = replaceIn(before, input);
          await saveText(target, after, context);
          const output = `Replaced ${count} occurrence${count === 1 ? "" : "s"} in ${target.path}`;
          return { output, diff: toFileDiff(target.path, before, after) };
        }),
      );
    },
  });
}

async function readTarget(target: ConfinedPath, path: string, context: ToolContext): Promise<string> {
  const inEditor = await editorText(target, context);
  if (inEditor !== undefined) return inEditor;
  const file = await target.directory.openFile(target.name);
  try {
    return await readWholeText(file, path, MAX_BYTES);
  } finally {
    await file.close();
  }
}

function replaceIn(
  before: string,
  { path, old_string, new_string, replace_all = false }: EditInput,
): { after: string; count: number } {
  if (old_string === new_string)
    throw new CaretError("invalid-request", "old_string and new_string are the same: there is nothing to change");
  const parts = before.split(old_string);
  const count = parts.length - 1;
  if (count === 0) throw new CaretError("invalid-request", notFound(before, path, old_string));
  if (count > 1 && !replace_all)
    throw new CaretError(
      "invalid-request",
      `old_string occurs ${count} times in ${path}. Add lines around it until it is unique, or set replace_all`,
    );
  return { after: parts.join(new_string), count };
}

function notFound(before: string, path: string, oldString: string): string {
  const hint =
    before.includes("\r\n") && oldString.includes("\n") && !oldString.includes("\r")
      ? " The file's lines end in CRLF (\\r\\n)."
      : " Read the file again: white space counts, too.";
  return `old_string does not occur in ${path}.${hint}`;
}
