import { StringDecoder } from "node:string_decoder";
import { parseObject } from "./contract-turn.ts";

export interface ToolReply {
  readonly ok: boolean;
  readonly output: string;
}

/** The host's side of the contract: one turn line, then results and perhaps a cancel. */
export interface ContractInput {
  /** The first line, or everything when stdin ends without a newline. */
  readonly firstLine: Promise<string>;
  /** The result of a call, or `undefined` once stdin has ended and none can come. */
  readonly resultOf: (callId: string) => Promise<ToolReply | undefined>;
}

export function readContractInput(stdin: NodeJS.ReadableStream, onCancel: () => void): ContractInput {
  const replies = new Map<string, Deferred<ToolReply | undefined>>();
  const first = defer<string>();
  let hasFirst = false;
  let hasEnded = false;

  function slot(callId: string) {
    const found = replies.get(callId) ?? defer<ToolReply | undefined>();
    replies.set(callId, found);
    if (hasEnded) found.resolve(undefined);
    return found;
  }
  function take(line: string): void {
    if (line.trim() === "") return;
    if (!hasFirst) {
      hasFirst = true;
      first.resolve(line);
      return;
    }
    const message = parseObject(line) ?? {};
    if (message["type"] === "cancel") onCancel();
    if (message["type"] === "tool_result") slot(String(message["callId"])).resolve(toReply(message));
  }

  readLines(stdin, take, () => {
    hasEnded = true;
    first.resolve("");
    for (const waiting of replies.values()) waiting.resolve(undefined);
  });
  return { firstLine: first.promise, resultOf: (callId) => slot(callId).promise };
}

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
}

function defer<Value>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function readLines(stdin: NodeJS.ReadableStream, take: (line: string) => void, end: () => void): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  stdin.on("data", (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
  stdin.once("end", () => {
    take(rest + decoder.end());
    end();
  });
}

function toReply(message: Readonly<Record<string, unknown>>): ToolReply {
  const result = message["content"] ?? message["result"] ?? message["output"] ?? message["error"] ?? "";
  const isError = message["ok"] === false || message["isError"] === true || message["error"] !== undefined;
  return { ok: !isError, output: typeof result === "string" ? result : JSON.stringify(result) };
}
