import { dirname } from "node:path";
import { CaretError } from "@caret/protocol";
import type { ToolResult } from "../../../calls/tool-call.ts";
import { encodingOf, isBinary, type TextEncoding, utf8Text } from "../../../tools/files/text-encodings.ts";
import { dataOf, failureCode } from "./call-outcome.ts";
import type { ArgsOf } from "./exec-reply.ts";
import type { NativeExec } from "./native-operation.ts";

type ReadArgs = ArgsOf<"readArgs">;
type WriteArgs = ArgsOf<"writeArgs">;

/** Returns exact bytes, as text if they are text; content that cannot be returned exactly is refused, never cut. */
export function readExec(answer: "readResult" | "redactedReadResult"): NativeExec<ArgsOf<"readArgs">> {
  return {
    hasEffect: false,
    toCall: ({ path, offset, limit }) => ({
      name: "read",
      input: {
        path,
        ...(offset === undefined || offset < 1 ? {} : { offset }),
        ...(limit === undefined || limit < 1 ? {} : { limit }),
      },
      exact: { range: { offset, limit } },
    }),
    toResults: (args, result) => [{ case: answer, value: { result: readResult(args, result) } }],
  };
}

function readResult(args: ReadArgs, result: ToolResult) {
  const { path, offset = 0, limit = 0, encodingHint } = args;
  const file = dataOf(result, "file");
  if (file === undefined) return readFailure(path, result);
  const { bytes, totalLines, fileSize, isPart, isEditorText = false } = file;
  const text = isEditorText ? bytes.toString("utf8") : textOf(bytes, encodingHint);
  const output =
    text === undefined ? ({ case: "data", value: bytes } as const) : ({ case: "content", value: text } as const);
  const rangeApplied = offset !== 0 || limit > 0;
  const value = { path, output, totalLines, fileSize: BigInt(fileSize), truncated: isPart, rangeApplied };
  return { case: "success", value } as const;
}

function readFailure(path: string, result: ToolResult) {
  if (result.isRejected === true) return { case: "rejected", value: { path, reason: result.text } } as const;
  switch (failureCode(result)) {
    case "not-found":
      return { case: "fileNotFound", value: { path } } as const;
    case "forbidden":
      return { case: "permissionDenied", value: { path } } as const;
    case "invalid-request":
    case "too-large":
      return { case: "invalidFile", value: { path, reason: result.text } } as const;
    default:
      return { case: "error", value: { path, error: result.text } } as const;
  }
}

/** Undefined for bytes that text cannot represent exactly. An unknown hint is ignored. */
function textOf(bytes: Buffer, hint: string | undefined): string | undefined {
  const encoding = hintedEncoding(hint);
  if (encoding !== undefined) return encoding.decode(bytes);
  return isBinary(bytes) ? undefined : utf8Text(bytes);
}

function hintedEncoding(hint = ""): TextEncoding | undefined {
  return hint === "" ? undefined : encodingOf(hint);
}

/** Writes exactly the given bytes. */
export const writeExec: NativeExec<ArgsOf<"writeArgs">> = {
  hasEffect: true,
  toCall({ path, fileText, fileBytes, encodingHint = "" }) {
    if (fileBytes.length === 0) {
      if (encodingHint === "") return { name: "write", input: { path, content: fileText }, exact: {} };
      assertEncodable(fileText, encodingHint);
      return { name: "write", input: { path, content: fileText }, exact: { encoding: encodingHint } };
    }
    const bytes = Buffer.from(fileBytes);
    const content = isBinary(bytes) ? undefined : utf8Text(bytes);
    const input = content === undefined ? { content: bytes.toString("base64"), encoding: "base64" } : { content };
    return { name: "write", input: { path, ...input }, exact: {} };
  },
  toResults: (args, result) => [{ case: "writeResult", value: { result: writeResult(args, result) } }],
};

function assertEncodable(text: string, name: string): void {
  const encoding = encodingOf(name);
  if (encoding === undefined)
    throw new CaretError("unsupported", `This client cannot write text in the encoding ${name.slice(0, 100)}`);
  if (encoding.encode(text) === undefined)
    throw new CaretError("unsupported", `The text has characters that ${name} has not: nothing was written`);
}

function writeResult({ path, returnFileContentAfterWrite, encodingHint }: WriteArgs, result: ToolResult) {
  const bytes = dataOf(result, "written")?.bytes;
  if (bytes === undefined) return writeFailure(path, result);
  const text = textOf(bytes, encodingHint);
  const value = {
    path,
    linesCreated: bytes.length === 0 ? 0 : (text ?? bytes.toString("latin1")).split("\n").length,
    fileSize: bytes.length,
    ...(returnFileContentAfterWrite && text !== undefined ? { fileContentAfterWrite: text } : {}),
  };
  return { case: "success", value } as const;
}

function writeFailure(path: string, result: ToolResult) {
  const { text, isRejected } = result;
  if (isRejected === true) return { case: "rejected", value: { path, reason: text } } as const;
  switch (failureCode(result)) {
    case "forbidden": {
      const value = { path, directory: dirname(path), operation: "write", error: text };
      return { case: "permissionDenied", value } as const;
    }
    case "storage-full":
      return { case: "noSpace", value: { path } } as const;
    default:
      return { case: "error", value: { path, error: text } } as const;
  }
}

export const deleteExec: NativeExec<ArgsOf<"deleteArgs">> = {
  hasEffect: true,
  toCall: ({ path }) => ({ name: "rm", input: { path }, exact: {} }),
  toResults: ({ path }, result) => [{ case: "deleteResult", value: { result: deleteResult(path, result) } }],
};

function deleteResult(path: string, result: ToolResult) {
  const { text, isRejected } = result;
  const removed = dataOf(result, "removed");
  if (removed !== undefined) {
    const { fileSize, bytes = Buffer.alloc(0) } = removed;
    const prevContent = textOf(bytes, undefined) ?? "";
    return { case: "success", value: { path, deletedFile: path, fileSize: BigInt(fileSize), prevContent } } as const;
  }
  const other = dataOf(result, "not-a-file");
  if (other !== undefined) return { case: "notFile", value: { path, actualType: other.actualType } } as const;
  if (isRejected === true) return { case: "rejected", value: { path, reason: text } } as const;
  switch (failureCode(result)) {
    case "not-found":
      return { case: "fileNotFound", value: { path } } as const;
    case "forbidden":
      return { case: "permissionDenied", value: { path, clientVisibleError: text } } as const;
    default:
      return { case: "error", value: { path, error: text } } as const;
  }
}
