import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError, type SessionUpdate, type SessionView } from "@caret/protocol";
import { createRedactor } from "@caret/runtime";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openGatewayWebhook } from "./gateway-webhook.ts";

const directory = mkdtempSync(join(tmpdir(), "caret-webhook-"));
let receiver: Server;
let received: string[];
let deliveries: unknown[];
let errors: string[];
let status: number;

beforeEach(async () => {
  received = [];
  deliveries = [];
  errors = [];
  status = 204;
  receiver = createServer((request, response) => {
    request.setEncoding("utf8");
    let body = "";
    request.on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      deliveries.push(request.headers["x-caret-delivery"]);
      received.push(String(JSON.parse(body).sessionId));
      response.writeHead(status).end();
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
});
afterEach(() => {
  receiver.close();
  rmSync(directory, { recursive: true, force: true });
});

const asks = (id: string): SessionUpdate => ({
  kind: "changed",
  session: { id, title: "Work", status: { kind: "idle" }, asksSince: 1 } as unknown as SessionView,
});

type Following = (signal: AbortSignal) => AsyncIterable<readonly SessionUpdate[]>;

/** A webhook over sessions that do these things, one at each time they are followed. */
function open(...lives: readonly Following[]): { close(): Promise<void> } | undefined {
  let begun = 0;
  const followUpdates: Following = (signal) => (lives[begun++] ?? says())(signal);
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  return openGatewayWebhook({
    config: { dataDir: directory, notify: { webhook: { url } }, server: { origins: [] } } as never,
    sessions: { followUpdates } as never,
    url: "http://127.0.0.1:4141",
    opened: { redactor: () => createRedactor({ secrets: [] }) },
    onError: ({ code, message }) => errors.push(`${code}: ${message}`),
  });
}

const says = (...ids: readonly string[]): Following =>
  async function* (signal) {
    const ended = once(signal, "abort");
    if (ids.length > 0) yield ids.map(asks);
    await ended;
  };

it("goes on when its failure cannot be kept in the data directory", async () => {
  mkdirSync(join(directory, "webhook-failure.json"), { recursive: true });
  status = 404;
  const webhook = open(says("one"));
  await expect
    .poll(() => errors)
    .toEqual([
      "upstream-error: The webhook was answered with status 404",
      "storage-failed: What became of a webhook cannot be kept",
    ]);
  await webhook?.close();
  expect(received).toEqual(["one"]);
});

it("posts one wait under one delivery, whichever gateway of a fleet does", async () => {
  const webhooks = [open(says("one")), open(says("one"))];
  await expect.poll(() => received).toEqual(["one", "one"]);
  await Promise.all(webhooks.map((webhook) => webhook?.close()));
  expect([deliveries.length, new Set(deliveries).size]).toEqual([2, 1]);
});

it("follows the sessions again when the log could not be read for a moment", async () => {
  const held = new CaretError("overloaded", "The log is held by another process");
  const webhook = open(() => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(held) }) }), says("two"));
  await once(receiver, "request");
  await expect.poll(() => received).toEqual(["two"]);
  await webhook?.close();
  expect(errors).toEqual(["overloaded: The log is held by another process"]);
});
