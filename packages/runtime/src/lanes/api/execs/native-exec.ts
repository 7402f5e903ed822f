import type { ToolCall, ToolResult } from "../../../turns/tools/tool-call.ts";
import type { ArgsOf, ExecCase, ExecRequest, ExecResult } from "./exec-reply.ts";

/** A native operation as a call of one of the gateway's tools, and the way back. */
interface NativeExec<Case extends ExecCase> {
  readonly toCall: (args: ArgsOf<Case>) => ToolCall;
  /** One result, or for a stream several. */
  readonly toResults: (args: ArgsOf<Case>, result: ToolResult) => readonly ExecResult[];
}

/** A native operation that the gateway's tools can do. */
export interface RunnableExec {
  readonly call: ToolCall;
  readonly toResults: (result: ToolResult) => readonly ExecResult[];
}

const natives: { readonly [Case in ExecCase]?: NativeExec<Case> } = {
  shellArgs: {
    toCall: shellCall,
    toResults: (args, result) => [{ case: "shellResult", value: { result: shellResult(args, result) } }],
  },
  miniSweAgentBashArgs: {
    toCall: shellCall,
    toResults: (args, result) => [{ case: "miniSweAgentBashResult", value: { result: shellResult(args, result) } }],
  },
  shellStreamArgs: { toCall: shellCall, toResults: shellStream },
  readArgs: {
    toCall: readCall,
    toResults: (args, result) => [{ case: "readResult", value: { result: readResult(args, result) } }],
  },
  redactedReadArgs: {
    toCall: readCall,
    toResults: (args, result) => [{ case: "redactedReadResult", value: { result: readResult(args, result) } }],
  },
  writeArgs: {
    toCall: ({ path, fileText, fileBytes }) => ({
      name: "write",
      input: { path, content: fileBytes.length > 0 ? Buffer.from(fileBytes).toString("utf8") : fileText },
    }),
    toResults: (args, result) => [{ case: "writeResult", value: { result: writeResult(args, result) } }],
  },
  deleteArgs: {
    toCall: ({ path }) => ({ name: "rm", input: { path } }),
    toResults: ({ path }, result) => [
      {
        case: "deleteResult",
        value: { result: failureOf(path, result) ?? { case: "success", value: { path, deletedFile: path } } },
      },
    ],
  },
  grepArgs: {
    toCall: ({ pattern, path, glob, caseInsensitive, headLimit }) => ({
      name: "grep",
      input: {
        pattern,
        ...(path === undefined || path === "" ? {} : { path }),
        ...(glob === undefined || glob === "" ? {} : { glob }),
        ...(caseInsensitive === true ? { ignore_case: true } : {}),
        ...(headLimit === undefined || headLimit < 1 ? {} : { limit: headLimit }),
      },
    }),
    toResults: (args, result) => [{ case: "grepResult", value: { result: grepResult(args, result) } }],
  },
  lsArgs: {
    toCall: ({ path }) => ({ name: "ls", input: path === "" ? {} : { path } }),
    toResults: ({ path }, result) => [
      { case: "lsResult", value: { result: failureOf(path, result) ?? listed(path, result.text) } },
    ],
  },
  fetchArgs: {
    toCall: ({ url }) => ({ name: "web_fetch", input: { url } }),
    toResults: ({ url }, { text, isError }) => [
      {
        case: "fetchResult",
        value: {
          result: isError
            ? { case: "error", value: { url, error: text } }
            : { case: "success", value: { url, content: text } },
        },
      },
    ],
  },
  piReadArgs: {
    toCall: readCall,
    toResults: (_, result) => [{ case: "piReadResult", value: piResult(result) }],
  },
  piBashArgs: {
    toCall: ({ command }) => ({ name: "exec", input: { command } }),
    toResults: (_, result) => [{ case: "piBashResult", value: piResult(result) }],
  },
  piWriteArgs: {
    toCall: ({ path, content }) => ({ name: "write", input: { path, content } }),
    toResults: (_, result) => [{ case: "piWriteResult", value: piResult(result) }],
  },
  piGrepArgs: {
    toCall: ({ pattern, path, glob, ignoreCase }) => ({
      name: "grep",
      input: {
        pattern,
        ...(path === undefined ? {} : { path }),
        ...(glob === undefined ? {} : { glob }),
        ...(ignoreCase === true ? { ignore_case: true } : {}),
      },
    }),
    toResults: (_, result) => [{ case: "piGrepResult", value: piResult(result) }],
  },
  piLsArgs: {
    toCall: ({ path }) => ({ name: "ls", input: path === undefined ? {} : { path } }),
    toResults: (_, result) => [{ case: "piLsResult", value: piResult(result) }],
  },
};

/** The request as a call of the gateway's own tools; undefined when none of them does such a thing. */
export function toRunnable(request: ExecRequest): RunnableExec | undefined {
  if (request.case === undefined) return undefined;
  const native = natives[request.case] as NativeExec<ExecCase> | undefined;
  if (native === undefined) return undefined;
  const { value } = request;
  return { call: native.toCall(value), toResults: (result) => native.toResults(value, result) };
}

type Shell = Pick<ArgsOf<"shellArgs">, "command" | "workingDirectory" | "timeout">;

function shellCall({ command, workingDirectory, timeout }: Shell): ToolCall {
  return {
    name: "exec",
    input: {
      command,
      ...(workingDirectory === "" ? {} : { cwd: workingDirectory }),
      ...(timeout > 0 ? { timeoutMs: timeout } : {}),
    },
  };
}

/** What the tools give back is both outputs in their order, and the exit code where there was one. */
function shellResult({ command, workingDirectory }: Shell, { text, isError, isRejected, exitCode }: ToolResult) {
  const where = { command, workingDirectory };
  if (isRejected === true) return { case: "rejected", value: { ...where, reason: text } } as const;
  const outputs = { ...where, stdout: text, interleavedOutput: text };
  if (!isError) return { case: "success", value: { ...outputs, exitCode: exitCode ?? 0 } } as const;
  if (exitCode === undefined) return { case: "spawnError", value: { ...where, error: text } } as const;
  return { case: "failure", value: { ...outputs, exitCode } } as const;
}

function shellStream(args: Shell, result: ToolResult): readonly ExecResult[] {
  const { command, workingDirectory } = args;
  if (result.isRejected === true)
    return [
      {
        case: "shellStream",
        value: { event: { case: "rejected", value: { command, workingDirectory, reason: result.text } } },
      },
    ];
  const code = result.exitCode ?? (result.isError ? 1 : 0);
  return [
    { case: "shellStream", value: { event: { case: "start", value: {} } } },
    { case: "shellStream", value: { event: { case: "stdout", value: { data: result.text } } } },
    { case: "shellStream", value: { event: { case: "exit", value: { code, cwd: workingDirectory } } } },
  ];
}

interface ReadRange {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

function readCall({ path, offset, limit }: ReadRange): ToolCall {
  return {
    name: "read",
    input: {
      path,
      ...(offset === undefined || offset < 1 ? {} : { offset }),
      ...(limit === undefined || limit < 1 ? {} : { limit }),
    },
  };
}

function readResult({ path, offset, limit }: ReadRange, result: ToolResult) {
  const failure = failureOf(path, result);
  if (failure !== undefined) return failure;
  const { text } = result;
  const rangeApplied = offset !== undefined || limit !== undefined;
  const output = { case: "content", value: text } as const;
  const totalLines = text === "" ? 0 : text.split("\n").length;
  const value = { path, output, totalLines, fileSize: BigInt(Buffer.byteLength(text)), rangeApplied };
  return { case: "success", value } as const;
}

function writeResult(args: ArgsOf<"writeArgs">, result: ToolResult) {
  const { path, fileText, fileBytes, returnFileContentAfterWrite } = args;
  const failure = failureOf(path, result);
  if (failure !== undefined) return failure;
  const text = fileBytes.length > 0 ? Buffer.from(fileBytes).toString("utf8") : fileText;
  const value = {
    path,
    linesCreated: text === "" ? 0 : text.split("\n").length,
    fileSize: Buffer.byteLength(text),
    ...(returnFileContentAfterWrite ? { fileContentAfterWrite: text } : {}),
  };
  return { case: "success", value } as const;
}

/** The gateway's search prints `path:line:text`; the agent wants the matches by file. */
function grepResult({ pattern, path = "", outputMode = "content" }: ArgsOf<"grepArgs">, { text, isError }: ToolResult) {
  if (isError) return { case: "error", value: { error: text } } as const;
  const files = new Map<string, { lineNumber: number; content: string }[]>();
  for (const line of text.split("\n")) {
    const [, file, number, content] = /^(.+?):(\d+):(.*)$/.exec(line) ?? [];
    if (file === undefined || content === undefined) continue;
    files.set(file, [...(files.get(file) ?? []), { lineNumber: Number(number), content }]);
  }
  const matches = [...files].map(([file, found]) => ({ file, matches: found }));
  const totalMatchedLines = matches.reduce((sum, file) => sum + file.matches.length, 0);
  const content = { matches, totalLines: totalMatchedLines, totalMatchedLines };
  const workspaceResults = { [path]: { result: { case: "content", value: content } as const } };
  return { case: "success", value: { pattern, path, outputMode, workspaceResults } } as const;
}

/** The gateway marks directories by a slash; a line in brackets is a note. */
function listed(path: string, text: string) {
  const names = text.split("\n").filter((line) => line !== "" && !line.startsWith("["));
  const isDirectory = (name: string): boolean => name.endsWith("/");
  const files = names.filter((name) => !isDirectory(name));
  const directoryTreeRoot = {
    absPath: path,
    childrenDirs: names
      .filter(isDirectory)
      .map((name) => ({ absPath: `${path.replace(/\/$/, "")}/${name.slice(0, -1)}` })),
    childrenFiles: files.map((name) => ({ name: name.replace(/[@?]$/, "") })),
    childrenWereProcessed: true,
    numFiles: files.length,
  };
  return { case: "success", value: { directoryTreeRoot } } as const;
}

function failureOf(path: string, { text, isError, isRejected }: ToolResult) {
  if (isRejected === true) return { case: "rejected", value: { path, reason: text } } as const;
  return isError ? ({ case: "error", value: { path, error: text } } as const) : undefined;
}

function piResult({ text, isError }: ToolResult) {
  if (isError) return { result: { case: "error", value: { error: text } } } as const;
  return { result: { case: "success", value: { output: text } } } as const;
}
