import { getEventListeners, once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { openSse, type SseOptions, type SseWriter } from "./sse-writer.ts";

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const never = new AbortController().signal;

/** A server that opens a stream for each request and hands its writer to the test. */
async function streamServer(options: Partial<SseOptions> = {}) {
  const opened: ((writer: { writer: SseWriter; raw: ServerResponse }) => void)[] = [];
  const server: Server = createServer((_request, raw) => {
    const reply = { raw, hijack: () => undefined, getHeaders: () => ({ "x-request-id": "r1" }) };
    opened.shift()?.({ writer: openSse(reply, { signal: never, keepAliveMs: 60_000, ...options }), raw });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const next = () => new Promise<{ writer: SseWriter; raw: ServerResponse }>((resolve) => opened.push(resolve));
  return { url: `http://127.0.0.1:${port}/`, port, next };
}

async function readerThatNeverReads(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  cleanups.push(() => socket.destroy());
  await once(socket, "connect");
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  return socket;
}

function fired(signal: AbortSignal): Promise<unknown> {
  return signal.aborted
    ? Promise.resolve(signal.reason)
    : new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason), { once: true }));
}

it("sends the headers at once, then what is written, and ends", async () => {
  const server = await streamServer();
  const next = server.next();
  const response = await fetch(server.url);
  const { writer } = await next;
  await writer.write("data: 1\n\n");
  await writer.write("data: 2\n\n");
  writer.end();
  writer.end();
  const headers = ["content-type", "cache-control", "x-accel-buffering", "x-request-id"];
  expect([response.status, headers.map((name) => response.headers.get(name)), await response.text()]).toEqual([
    200,
    ["text/event-stream; charset=utf-8", "no-cache, no-transform", "no", "r1"],
    "data: 1\n\ndata: 2\n\n",
  ]);
});

it("fills silence with comments, or with what the door wants instead", async () => {
  const server = await streamServer({ keepAliveMs: 5, keepAlive: "event: ping\ndata: {}\n\n" });
  const next = server.next();
  const response = await fetch(server.url);
  const { writer } = await next;
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader?.read();
  writer.end();
  await reader?.cancel();
  expect(first?.value?.startsWith("event: ping\ndata: {}\n\n")).toBe(true);
});

it("sends no comment while the door writes", async () => {
  const server = await streamServer({ keepAliveMs: 200 });
  const next = server.next();
  const response = await fetch(server.url);
  const { writer } = await next;
  const words = Array.from({ length: 20 }, (_, index) => `data: ${index}\n\n`);
  for (const word of words) {
    await sleep(20);
    void writer.write(word);
  }
  writer.end();
  expect(await response.text()).toBe(words.join(""));
});

it("tells the door when the client has left, and drops what is written afterwards", async () => {
  const server = await streamServer();
  const next = server.next();
  const leaving = new AbortController();
  await fetch(server.url, { signal: leaving.signal });
  const { writer } = await next;
  leaving.abort();
  const reason = await fired(writer.signal);
  await writer.write("data: too late\n\n");
  writer.end();
  expect(String(reason)).toBe("AbortError: The client has gone");
});

it("makes the door wait for a slow reader", async () => {
  const server = await streamServer();
  const next = server.next();
  const socket = await readerThatNeverReads(server.port);
  const { writer, raw } = await next;
  const block = `data: ${"x".repeat(1024 * 1024)}\n\n`;
  let waiting: Promise<void> | undefined;
  for (let count = 0; count < 64 && waiting === undefined; count += 1) waiting = writer.write(block) ?? undefined;
  const heldBack = raw.writableLength;
  socket.resume();
  await waiting;
  expect({
    isHeldBack: heldBack > 0,
    isBelow8MiB: heldBack < 8 * 1024 * 1024,
    writableLength: raw.writableLength,
    aborted: writer.signal.aborted,
  }).toEqual({ isHeldBack: true, isBelow8MiB: true, writableLength: 0, aborted: false });
  writer.end();
});

it("cuts a reader that stays stuck, and counts it", async () => {
  const counted: string[] = [];
  const meter = {
    opened: () => counted.push("opened"),
    wrote: () => undefined,
    cut: () => counted.push("cut"),
    closed: () => counted.push("closed"),
  };
  const server = await streamServer({ stuckMs: 50, meter });
  const next = server.next();
  await readerThatNeverReads(server.port);
  const { writer, raw } = await next;
  const closed = once(raw, "close");
  const block = `data: ${"x".repeat(1024 * 1024)}\n\n`;
  while (!writer.signal.aborted) await writer.write(block);
  await closed;
  writer.end();
  expect([counted, String(writer.signal.reason)]).toEqual([
    ["opened", "cut", "closed"],
    "AbortError: The client does not read",
  ]);
});

it("cuts a reader that is stuck on the last bytes", async () => {
  const server = await streamServer({ stuckMs: 50 });
  const next = server.next();
  await readerThatNeverReads(server.port);
  const { writer, raw } = await next;
  const closed = once(raw, "close");
  void writer.write(`data: ${"x".repeat(64 * 1024 * 1024)}\n\n`);
  writer.end();
  await closed;
  expect(String(writer.signal.reason)).toBe("AbortError: The client does not read");
});

it("lets the door say goodbye when the server wants the stream to end", async () => {
  const server = new AbortController();
  const streams = await streamServer({ signal: server.signal });
  const next = streams.next();
  const response = await fetch(streams.url);
  const { writer } = await next;
  server.abort(new Error("shutting down"));
  const reason = await fired(writer.signal);
  await writer.write("data: goodbye\n\n");
  writer.end();
  expect([String(reason), await response.text()]).toEqual(["Error: shutting down", "data: goodbye\n\n"]);
});

it("cuts a stream whose door does not end it in time", async () => {
  const server = new AbortController();
  const streams = await streamServer({ signal: server.signal, endGraceMs: 20 });
  const next = streams.next();
  const response = await fetch(streams.url);
  const { raw } = await next;
  const closed = once(raw, "close");
  server.abort();
  await closed;
  await expect(response.text()).rejects.toThrow("terminated");
});

it("ends at once a stream that is opened while the server stops", async () => {
  const streams = await streamServer({ signal: AbortSignal.abort(new Error("stopping")) });
  const next = streams.next();
  const response = await fetch(streams.url);
  const { writer } = await next;
  const stopped = writer.signal.aborted;
  writer.end();
  expect({ stopped, text: response.body === null ? "" : await readText(response.body) }).toEqual({
    stopped: true,
    text: "",
  });
});

it("tells at once that the client has gone when it left before the stream was opened", async () => {
  const closed = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, raw) => void raw.once("close", () => closed.resolve(raw)));
  cleanups.push(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(server, "request");
  client.destroy();
  const raw = await closed.promise;
  const metered: string[] = [];
  const note = (name: string) => () => void metered.push(name);
  const meter = { opened: note("opened"), wrote: note("wrote"), cut: note("cut"), closed: note("closed") };
  const stopping = new AbortController();
  const reply = { raw, hijack: () => undefined, getHeaders: () => ({}) };
  const writer = openSse(reply, { signal: stopping.signal, keepAliveMs: 60_000, meter });
  const written = writer.write("data: 1\n\n");
  writer.end();
  expect([writer.signal.aborted, written, metered, getEventListeners(stopping.signal, "abort").length]).toEqual([
    true,
    undefined,
    ["opened", "closed"],
    0,
  ]);
});
