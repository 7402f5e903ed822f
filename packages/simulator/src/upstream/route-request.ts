import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { fromBinary } from "@bufbuild/protobuf";
import { BidiRequestIdSchema } from "@caret/protocol/agent-api/bidi";
import type { UpstreamBehaviour } from "../scenario/wire-shapes.ts";
import { answerRest, type RestWorld } from "./account/rest-routes.ts";
import type { OnRequest, UpstreamRequest, UpstreamResponse } from "./net/listen-on-one-port.ts";
import type { AppendedRuns } from "./run/appended-runs.ts";
import { readClientMessages, readEnvelopes } from "./run/client-messages.ts";
import { FrameWriter } from "./run/frame-writer.ts";
import { type IncomingRun, type RunWorld, serveRun } from "./run/serve-run.ts";

export interface RouterWorld {
  readonly behaviour: UpstreamBehaviour;
  readonly log: (record: Readonly<Record<string, unknown>>) => void;
  readonly appended: AppendedRuns;
  readonly rest: RestWorld;
  readonly unary: (request: UpstreamRequest, response: UpstreamResponse) => void;
  readonly run: RunWorld;
}

/** Answers every request of the port: faults first, then plain HTTP, then runs, then Connect's unary calls. */
export function createRouter(world: RouterWorld): OnRequest {
  const faulty = new Map(
    Object.entries(world.behaviour.calls).map(([name, { times = Number.POSITIVE_INFINITY }]) => [name, times]),
  );
  return (request, response) => {
    answer(request, response, world, faulty).catch((error: unknown) => {
      world.log({ event: "failure", path: request.url, error: String(error) });
      (request.socket as { destroy(): void }).destroy();
    });
  };
}

async function answer(
  request: UpstreamRequest,
  response: UpstreamResponse,
  world: RouterWorld,
  faulty: Map<string, number>,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://upstream");
  world.log({
    event: "request",
    method: request.method,
    path: url.pathname,
    httpVersion: request.httpVersion,
    headers: withoutSecrets(request.headers),
    madeFrom: world.rest.tokens.madeFrom(bearerOf(request)),
  });
  const name = url.pathname.split("/").at(-1) ?? "";
  if (await misbehave(name, response, world.behaviour, faulty)) return;
  if (!url.pathname.includes(".v1.")) return answerPlainly(request, response, url, world);
  if (!world.rest.tokens.isGood(bearerOf(request))) {
    return send(response, 401, JSON.stringify({ code: "unauthenticated", message: "Error" }));
  }
  if (name !== "Run" && name !== "RunSSE") return world.unary(request, response);
  await serveRun(await toRun(name, request, response, world), world.run);
}

/** Answers as the scenario's faults want, and says whether it has. */
async function misbehave(
  name: string,
  response: UpstreamResponse,
  { calls }: UpstreamBehaviour,
  faulty: Map<string, number>,
): Promise<boolean> {
  const fault = calls[name];
  const left = faulty.get(name) ?? 0;
  if (fault === undefined || left === 0) return false;
  faulty.set(name, left - 1);
  if (fault.delayMs !== undefined) await sleep(fault.delayMs);
  if (fault.status === undefined) return false;
  for (const [header, value] of Object.entries(fault.headers ?? {})) response.setHeader(header, value);
  send(response, fault.status, fault.body ?? "");
  return true;
}

async function answerPlainly(
  request: UpstreamRequest,
  response: UpstreamResponse,
  url: URL,
  world: RouterWorld,
): Promise<void> {
  const bytes = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
  const body = (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
  const answered = answerRest({ method: request.method ?? "GET", url, bearer: bearerOf(request), body }, world.rest);
  if (answered === undefined) return send(response, 404, JSON.stringify({ error: "No such path" }));
  send(response, answered.status, answered.body, answered.type);
}

async function toRun(
  name: "Run" | "RunSSE",
  request: UpstreamRequest,
  response: UpstreamResponse,
  world: RouterWorld,
): Promise<IncomingRun> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const { signal } = gone;
  const header = (key: string) => request.headers[key] as string | undefined;
  const tools = { allowed: header("x-cursor-agent-allowed-tools"), excluded: header("x-cursor-agent-exclude-tools") };
  const writer = new FrameWriter(response);
  if (name === "Run") {
    const requestId = header("x-request-id") ?? "";
    return { requestId, tools, writer, signal, incoming: readClientMessages(request) };
  }
  const [bytes = new Uint8Array()] = await Array.fromAsync(readEnvelopes(request));
  const { requestId } = fromBinary(BidiRequestIdSchema, bytes);
  return { requestId, tools, writer, signal, incoming: world.appended.read(requestId, signal) };
}

/** A call that is not known here gets an empty message, which clients take, and is named in the records. */
export function answerUnknown(request: UpstreamRequest, response: UpstreamResponse, log: RouterWorld["log"]): void {
  log({ event: "unknown-call", path: request.url });
  const type = request.headers["content-type"] ?? "application/proto";
  send(response, 200, type.includes("json") ? "{}" : "", type);
}

function send(response: UpstreamResponse, status: number, body: string, type = "application/json"): void {
  response.statusCode = status;
  if (!response.hasHeader("content-type")) response.setHeader("content-type", type);
  response.end(body);
}

function bearerOf({ headers }: UpstreamRequest): string {
  return (headers.authorization ?? "").replace(/^Bearer\s+/i, "");
}

/** Names every header, and shows none that is a secret. */
function withoutSecrets(headers: UpstreamRequest["headers"]): Readonly<Record<string, unknown>> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    /^(?:authorization|cookie|x-blob-encryption-key)$/.test(name) ? `${String(value).length} characters` : value,
  ]);
  return Object.fromEntries(shown);
}
