import { connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LazyProxy, lazyProxy } from "./network-proxy.ts";

/** Which names lead where: what a name server that is not to be trusted might answer. */
const names: Readonly<Record<string, readonly string[]>> = {
  "good.example.com": ["127.0.0.1"],
  "private.example.com": ["127.0.0.1"],
  "half.example.com": ["93.184.216.34", "10.0.0.1"],
};
let server: Server;
let proxy: LazyProxy;
let port: number;
let connections = 0;

beforeAll(async () => {
  server = createServer((socket: Socket) => {
    connections += 1;
    socket.end("hello");
  });
  port = await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  proxy = lazyProxy({
    hosts: ["*.example.com", "example.org", `127.0.0.1:${port}`, `good.example.com:${port}`],
    async resolve(name) {
      return names[name] ?? [];
    },
  });
});
afterAll(async () => {
  await proxy.close();
  server.close();
});

async function ask(request: string): Promise<string> {
  const socket = connect(await proxy.open());
  socket.write(request);
  return await text(socket);
}

const connectTo = (target: string): Promise<string> => ask(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`);
const statusOf = (answer: string): string => answer.split("\r\n", 1)[0] ?? "";

it("connects to a host and port that the operator named, whose address may be private", async () => {
  const answers = [await connectTo(`127.0.0.1:${port}`), await connectTo(`good.example.com:${port}`)];
  expect(answers).toEqual(Array(2).fill("HTTP/1.1 200 Connection established\r\n\r\nhello"));
});

it.each([
  ["a host that is not on the list", "other.test:443"],
  ["a host that only ends like one on the list", "evilexample.org:443"],
  ["the host itself where only those below it are listed", "example.com:443"],
  ["another port of a listed host", "a.example.com:80"],
  ["an address instead of a name", "93.184.216.34:443"],
  ["an address of this machine", "127.0.0.1:443"],
  ["an IPv6 address of this machine", "[::1]:443"],
  ["an IPv4 address inside an IPv6 one", "[::ffff:127.0.0.1]:443"],
  ["a number for an address", "2130706433:443"],
  ["a name with a user in front", "a.example.com@127.0.0.1:443"],
  ["a name with a null byte's worth of trouble", "a.example.com%00.evil.test:443"],
  ["nothing", ":443"],
])("refuses %s", async (_, target) => {
  const before = connections;
  expect([statusOf(await connectTo(target)), connections]).toEqual(["HTTP/1.1 403 Forbidden", before]);
});

it("refuses a listed name that leads to a private address, and one that leads to both kinds", async () => {
  const before = connections;
  const answers = [await connectTo("private.example.com:443"), await connectTo("half.example.com:443")];
  expect([...answers.map(statusOf), connections]).toEqual([...Array(2).fill("HTTP/1.1 403 Forbidden"), before]);
});

it("resolves a name once: a second answer of its name server counts for nothing", async () => {
  const answers = [["127.0.0.1"], ["169.254.169.254"]];
  const tried: string[] = [];
  const other = lazyProxy({
    hosts: [`rebound.example.com:${port}`],
    resolve: async (name) => {
      tried.push(name);
      return answers.shift() ?? [];
    },
  });
  const socket = connect(await other.open());
  socket.write(`CONNECT rebound.example.com:${port} HTTP/1.1\r\n\r\n`);
  expect([await text(socket), tried]).toEqual([expect.stringMatching(/hello$/), ["rebound.example.com"]]);
  await other.close();
});

it("does nothing but CONNECT: a request for a page is refused, by whatever host", async () => {
  const answer = await ask(
    `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nhost: a.example.com\r\nconnection: close\r\n\r\n`,
  );
  expect(statusOf(answer)).toBe("HTTP/1.1 405 Method Not Allowed");
});
