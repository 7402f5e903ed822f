import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createWorkbench, type Workbench } from "../testing/workbench.ts";
import { openStream } from "./open-stream.ts";
import { StreamServer } from "./stream-server.ts";

let bench: Workbench;
let server: StreamServer;
const opened: Socket[] = [];
const path = (): string => bench.path("streams");

beforeEach(async () => {
  bench = createWorkbench();
  server = new StreamServer({ path: path(), strangerMs: 50 });
  await server.listening;
});
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  server.close();
  bench.remove();
});

async function open(greeting: string): Promise<Socket> {
  const socket = await openStream(path(), greeting);
  opened.push(socket);
  return socket;
}

it("gives a stream to who expects it, whichever comes first, and reads nothing behind its greeting", async () => {
  const expected = server.expect("one/stdout");
  const [early, late] = [await open("one/stdout"), await open("one/stderr")];
  const [one, two] = [await expected, await server.expect("one/stderr")];
  opened.push(one, two);
  early.write("for the child");
  const [behind] = (await once(one.resume(), "data")) as [Buffer];
  two.end("from the child");
  const heard: string[] = [];
  late.on("data", (chunk: Buffer) => heard.push(chunk.toString())).resume();
  await once(late, "end");
  expect({ behind: behind.toString(), heard }).toEqual({ behind: "for the child", heard: ["from the child"] });
});

it("is read only while it is not paused, and loses nothing", async () => {
  const expected = server.expect("one/stdout");
  const stream = await open("one/stdout");
  const child = await expected;
  opened.push(child);
  const heard: string[] = [];
  stream.on("data", (chunk: Buffer) => {
    heard.push(chunk.toString());
    if (heard.length === 1) stream.pause();
  });
  stream.resume();
  child.write("first");
  await once(stream, "data");
  child.end("second");
  const whilePaused = [...heard];
  stream.resume();
  await once(stream, "end");
  expect({ whilePaused, heard }).toEqual({ whilePaused: ["first"], heard: ["first", "second"] });
});

it.each(["nobody/stdout\n", "one/stdout\nand more", "no newline"])(
  "hangs up on a stranger who says %j",
  async (words) => {
    const expected = server.expect("one/stdout");
    const stranger = connect(path());
    opened.push(stranger);
    stranger.write(words);
    stranger.resume();
    await once(stranger, "close");
    await open("one/stdout");
    opened.push(await expected);
    expect(stranger.destroyed).toBe(true);
  },
);
