import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { streamedBody } from "./streamed-body.ts";

let server: Server;
let answer: (raw: ServerResponse) => void;

beforeEach(async () => {
  server = createServer((_, raw) => answer(raw)).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const words = ["plain", "é€😀", "\r\n\r\n", "x".repeat(70_000)];

function writeWords(raw: ServerResponse): void {
  raw.writeHead(200);
  raw.flushHeaders();
  const body = streamedBody(raw);
  for (const word of words) body.write(word, Buffer.byteLength(word));
  raw.end();
}

/** The answer to a client that sends exactly these bytes. */
async function exchange(request: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.end(request);
  return await text(socket);
}

it("is read by a client as it was written, whatever the text holds", async () => {
  answer = writeWords;
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await response.text()).toBe(words.join(""));
});

it("has no chunks for a client of HTTP/1.0, which knows none", async () => {
  answer = writeWords;
  const [head = "", body = ""] = (await exchange("GET / HTTP/1.0\r\n\r\n")).split(/\r\n\r\n(.*)/s);
  expect({ hasChunks: /transfer-encoding/i.test(head), body }).toEqual({ hasChunks: false, body: words.join("") });
});

it("of the second of two requests on one connection comes after the first, though it was written before", async () => {
  const waiting: ServerResponse[] = [];
  answer = (raw) => {
    waiting.push(raw);
    if (waiting.length < 2) return;
    for (const [index, each] of [...waiting.entries()].reverse()) {
      each.writeHead(200);
      each.flushHeaders();
      const word = `answer ${index}`;
      streamedBody(each).write(word, word.length);
      each.end();
    }
  };
  const request = "GET / HTTP/1.1\r\nhost: x\r\n";
  const received = await exchange(`${request}\r\n${request}connection: close\r\n\r\n`);
  expect(received.match(/answer \d/g)).toEqual(["answer 0", "answer 1"]);
});
