import type { JsonObject } from "@bufbuild/protobuf";
import {
  type Act,
  type ActContext,
  type ActOutcome,
  absolutePath,
  arm,
  pick,
  reasonOf,
  resultOf,
  text,
} from "./act.ts";

const read: Act = (input, context) => {
  const path = absolutePath(text(input, "path"), context.workspace);
  const range = pick(input, ["offset", "limit"]);
  return { key: "readToolCall", args: { path, ...range }, run: () => readFile(path, range, context) };
};

async function readFile(path: string, range: JsonObject, { link, toolCallId }: ActContext): Promise<ActOutcome> {
  const result = resultOf(await link.exec({ readArgs: { path, toolCallId, ...range } }), "readResult");
  const success = typeof result === "string" ? undefined : arm(result, "success");
  if (success === undefined) {
    const errorMessage = typeof result === "string" ? result : readProblem(result);
    return { result: { error: { errorMessage } }, ok: false, output: errorMessage };
  }
  const { content = "", data, totalLines = 0, fileSize = "0", truncated = false } = success;
  const shown = {
    ...(data === undefined ? { content } : { data }),
    isEmpty: fileSize === "0",
    exceededLimit: truncated,
    totalLines,
    fileSize: Number(fileSize),
    path,
  };
  return { result: { success: shown }, ok: true, output: data === undefined ? String(content) : "(binary file)" };
}

function readProblem(result: JsonObject): string {
  return "fileNotFound" in result ? "File not found" : reasonOf(result);
}

/** Writing a whole file is shown as an edit. */
const write: Act = (input, context) => {
  const path = absolutePath(text(input, "path"), context.workspace);
  const contents = text(input, "contents");
  return {
    key: "editToolCall",
    args: { path, streamContent: contents },
    run: () => writeFile(path, contents, `Wrote contents to ${path}`, context),
  };
};

async function writeFile(path: string, fileText: string, message: string, context: ActContext): Promise<ActOutcome> {
  const { link, toolCallId } = context;
  const wanted = { path, fileText, toolCallId, returnFileContentAfterWrite: true };
  const result = resultOf(await link.exec({ writeArgs: wanted }), "writeResult");
  const success = typeof result === "string" ? undefined : arm(result, "success");
  if (success !== undefined) {
    const shown = { path, linesAdded: success["linesCreated"] ?? 0, afterFullFileContent: fileText, message };
    return { result: { success: shown }, ok: true, output: message };
  }
  const error = typeof result === "string" ? result : reasonOf(result);
  const isRejected = typeof result !== "string" && "rejected" in result;
  return {
    result: isRejected ? { rejected: { path, reason: error } } : { error: { path, error } },
    ok: false,
    output: error,
  };
}

/** The server replaces the piece itself: it reads the file, and has the whole of it written. */
const edit: Act = (input, context) => {
  const path = absolutePath(text(input, "path"), context.workspace);
  const newText = text(input, "newText");
  const run = async (): Promise<ActOutcome> => {
    const before = await readFile(path, {}, context);
    if (!before.ok) return { ...before, result: { error: { path, error: before.output } } };
    const pieces = before.output.split(text(input, "oldText"));
    const error = problemWith(pieces.length - 1, input["replaceAll"] === true);
    if (error !== undefined) return { result: { error: { path, error } }, ok: false, output: error };
    return writeFile(path, pieces.join(newText), `The file ${path} has been updated.`, context);
  };
  return { key: "editToolCall", args: { path, streamContent: newText }, run };
};

function problemWith(matches: number, replaceAll: boolean): string | undefined {
  if (matches === 0) return "The string to replace was not found in the file.";
  if (matches === 1 || replaceAll) return undefined;
  return `The string to replace was found ${matches} times; give more of its surroundings.`;
}

const remove: Act = (input, { link, workspace, toolCallId }) => {
  const path = absolutePath(text(input, "path"), workspace);
  const args = { path, toolCallId };
  const run = async (): Promise<ActOutcome> => {
    const result = resultOf(await link.exec({ deleteArgs: args }), "deleteResult");
    if (typeof result === "string") return { result: { error: { path, error: result } }, ok: false, output: result };
    if ("success" in result) return { result, ok: true, output: `Deleted ${path}` };
    return { result, ok: false, output: "fileNotFound" in result ? "File not found" : reasonOf(result) };
  };
  return { key: "deleteToolCall", args, run };
};

export const fileActs = { read, write, edit, delete: remove } as const;
