import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { createMemoryFetch } from "./memory-fetch.ts";

it("carries method, address, headers and body to a server that does not listen, and its answer back", async () => {
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const seen = { method, url, host: headers.host, key: headers["x-key"], body: await text(request) };
    response.writeHead(201, { "x-answer": "yes" }).end(JSON.stringify(seen));
  });
  const fetch = createMemoryFetch(server);
  const response = await fetch("http://anything/a?b=c", { method: "POST", headers: { "x-key": "k" }, body: "hello" });
  expect([response.status, response.headers.get("x-answer"), await response.json(), server.listening]).toEqual([
    201,
    "yes",
    { method: "POST", url: "/a?b=c", host: "localhost", key: "k", body: "hello" },
    false,
  ]);
});

it("closes the request of the server when a client left in the middle of an answer", async () => {
  const closed = Promise.withResolvers<boolean>();
  const server = createServer((_request, response) => {
    response.once("close", () => closed.resolve(response.writableFinished));
    response.writeHead(200).write("first");
  });
  const leaving = new AbortController();
  const response = await createMemoryFetch(server)("http://localhost/", { signal: leaving.signal });
  leaving.abort();
  await expect(response.text()).rejects.toThrow();
  expect(await closed.promise).toBe(false);
});

it("closes the request of the server when a client has read enough", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200).write("first");
    server.emit("answering", response);
  });
  const answering = once(server, "answering");
  const response = await createMemoryFetch(server)("http://localhost/");
  const [raw] = await answering;
  const closed = once(raw, "close");
  await response.body?.cancel();
  await closed;
  expect(raw.writableFinished).toBe(false);
});

it("delivers a long answer whole, however slowly it is read", async () => {
  const line = `${"x".repeat(1023)}\n`;
  const server = createServer((_request, response) => {
    for (let index = 0; index < 2_000; index += 1) response.write(line);
    response.end();
  });
  const response = await createMemoryFetch(server)("http://localhost/");
  expect((await response.text()) === line.repeat(2_000)).toBe(true);
});

it("fails when the server ends the connection without an answer", async () => {
  const server = createServer((request) => request.socket.destroy());
  await expect(createMemoryFetch(server)("http://localhost/")).rejects.toThrow();
});
