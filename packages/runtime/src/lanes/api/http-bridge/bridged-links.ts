import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { CaretError, errorInfoSchema } from "@caret/protocol";
import type { UniversalClientFn, UniversalClientRequest, UniversalClientResponse } from "@connectrpc/connect/protocol";
import { z } from "zod";
import { unreachable } from "../../../credentials/upstream-failure.ts";
import type { HttpVersion } from "../transport/http-version.ts";
import type { UpstreamLinks } from "../transport/upstream-link.ts";
import { type BridgeFrame, createFrameSplitter, toFrame, toJsonFrame } from "./bridge-frame.ts";

/** A process that runs the bridge. */
export interface BridgeProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

export interface BridgedLinksOptions {
  readonly ca: readonly string[] | undefined;
  /** Starts the bridge; called for the first request, and again if it has died. */
  readonly start: () => BridgeProcess;
}

const headSchema = z.object({ status: z.number(), header: z.array(z.tuple([z.string(), z.string()])) });
const probedSchema = z.object({ version: z.enum(["2", "1.1"]) });
const connectSchema = z.object({ connect: z.string() });
const entry = new URL(`./bridge-main${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** Runs the bridge as a child process. `node` is a Node program; this process may run on something else. */
export function startBridge(node: string): BridgeProcess {
  const child = spawn(node, [entry.pathname], { stdio: ["pipe", "pipe", "inherit"] });
  child.on("error", (reason) => child.stdout.destroy(reason));
  return child;
}

/** Links whose requests are made by the bridge, one process for all of them. */
export function createBridgedLinks({ ca, start }: BridgedLinksOptions): UpstreamLinks {
  let bridge: BridgeClient | undefined;
  const running = (): BridgeClient => {
    if (bridge === undefined || bridge.isOver) bridge = createBridgeClient(start(), ca);
    return bridge;
  };
  return {
    async open(url, version) {
      const found = await running().probe(url, version);
      const request: UniversalClientFn = (asked) => running().request(asked, found);
      return { url, version: found, request };
    },
    close: () => bridge?.close(),
  };
}

type BridgeClient = ReturnType<typeof createBridgeClient>;

interface Exchange {
  readonly take: (frame: BridgeFrame) => void;
  readonly fail: (reason: CaretError) => void;
}

function createBridgeClient({ stdin, stdout }: BridgeProcess, ca: readonly string[] | undefined) {
  const exchanges = new Map<number, Exchange>();
  const split = createFrameSplitter();
  let lastId = 0;
  let isOver = false;
  const say = (bytes: Uint8Array): void => void (stdin.writable && stdin.write(bytes));
  const end = (reason: unknown): void => {
    isOver = true;
    const error = new CaretError("agent-crashed", "The HTTP bridge ended", { cause: reason });
    for (const { fail } of exchanges.values()) fail(error);
    exchanges.clear();
  };
  stdin.on("error", end);
  stdout.on("error", end).on("close", () => end(undefined));
  stdout.on("data", (chunk: Uint8Array) => {
    for (const frame of split(chunk)) exchanges.get(frame.request)?.take(frame);
  });
  say(toJsonFrame("setup", 0, ca === undefined ? {} : { ca }));

  const begin = (exchange: Exchange): number => {
    lastId += 1;
    exchanges.set(lastId, exchange);
    return lastId;
  };

  return {
    get isOver() {
      return isOver;
    },
    async probe(url: URL, version: HttpVersion | undefined): Promise<HttpVersion> {
      const { promise, resolve, reject } = Promise.withResolvers<HttpVersion>();
      const id = begin({
        fail: reject,
        take({ kind, payload }) {
          if (kind === "probed") resolve(probedSchema.parse(jsonIn(payload)).version);
          else reject(failureIn(payload, url));
        },
      });
      say(toJsonFrame("probe", id, { url: url.href, version }));
      return await promise.finally(() => exchanges.delete(id));
    },
    async request(asked: UniversalClientRequest, version: HttpVersion): Promise<UniversalClientResponse> {
      const { url, method, header, signal, body } = asked;
      const answer = createBridgedAnswer({
        url: new URL(url),
        taken: (bytes) => say(toFrame("taken", id, Buffer.from(String(bytes)))),
        over: () => void exchanges.delete(id),
      });
      const id = begin(answer);
      const cancel = (): void => {
        say(toFrame("cancel", id));
        answer.fail(new CaretError("cancelled", "The request was cancelled"));
      };
      signal?.addEventListener("abort", cancel, { once: true });
      say(toJsonFrame("open", id, { url, method, version, header: [...header] }));
      void sendBody(body, (bytes) => say(toFrame("data", id, bytes))).then(() => say(toFrame("end", id)));
      return await answer.response;
    },
    close(): void {
      stdin.end();
    },
  };
}

async function sendBody(body: AsyncIterable<Uint8Array> | undefined, send: (bytes: Uint8Array) => void): Promise<void> {
  for await (const bytes of body ?? []) send(bytes);
}

interface BridgedAnswerOptions {
  readonly url: URL;
  readonly taken: (bytes: number) => void;
  readonly over: () => void;
}

/** A response assembled from incoming frames. */
function createBridgedAnswer({ url, taken, over }: BridgedAnswerOptions) {
  const { promise: response, resolve, reject } = Promise.withResolvers<UniversalClientResponse>();
  const chunks: Uint8Array[] = [];
  let failure: CaretError | undefined;
  let isDone = false;
  let bell = Promise.withResolvers<void>();
  const ring = (): void => {
    bell.resolve();
    bell = Promise.withResolvers<void>();
  };
  async function* body(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = chunks.shift();
      if (chunk !== undefined) {
        yield chunk;
        taken(chunk.length);
      } else if (failure !== undefined) throw failure;
      else if (isDone) return;
      else await bell.promise;
    }
  }
  const fail = (reason: CaretError): void => {
    failure ??= reason;
    over();
    reject(reason);
    ring();
  };
  return {
    response,
    fail,
    take({ kind, payload }: BridgeFrame): void {
      if (kind === "head") {
        const { status, header } = headSchema.parse(jsonIn(payload));
        resolve({ status, header: new Headers(header), body: body(), trailer: new Headers() });
      } else if (kind === "data") chunks.push(payload);
      else if (kind === "failed") fail(failureIn(payload, url));
      else {
        isDone = true;
        over();
      }
      ring();
    },
  };
}

function failureIn(payload: Uint8Array, url: URL): CaretError {
  const failure = jsonIn(payload);
  const info = errorInfoSchema.safeParse(failure).data;
  if (info !== undefined) return CaretError.fromInfo(info);
  return unreachable(url, new Error(connectSchema.safeParse(failure).data?.connect ?? "no reason was given"));
}

function jsonIn(payload: Uint8Array): unknown {
  return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("utf8"));
}
