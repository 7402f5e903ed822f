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

it("gives streams to who expects them, whichever comes first, and reads nothing behind a greeting", async () => {
  const early = await open("one/stdout");
  const expected = server.expect(["one/stdout", "one/stderr"]);
  const [late, [one, two]] = await Promise.all([open("one/stderr"), expected]);
  if (one === undefined || two === undefined) throw new Error("A stream is missing");
  opened.push(one, two);
  early.write("for the child");
  const [behind] = (await once(one.resume(), "data")) as [Buffer];
  two.end("from the child");
  const heard: string[] = [];
  late.on("data", (chunk: Buffer) => heard.push(chunk.toString())).resume();
  await once(late, "end");
  expect({ behind: behind.toString(), heard }).toEqual({ behind: "for the child", heard: ["from the child"] });
});

it("leaves streams that were given alone, and those that wait for the others of their child", async () => {
  const expected = [server.expect(["one/stdout"]), server.expect(["two/stdout", "two/stderr"])] as const;
  const waiting = (await Promise.all([open("one/stdout"), open("two/stdout")]))[1];
  const given = [...(await expected[0])];
  // When it hangs up on a stranger, it has looked twice at all that nobody expects.
  await once((await open("nobody/stdout")).resume(), "end");
  await open("two/stderr");
  given.push(...(await expected[1]));
  opened.push(...given);
  const states = [...given, waiting].map(({ destroyed, readableEnded }) => destroyed || readableEnded);
  expect(states).toEqual([false, false, false, false]);
});

it("gives all streams of a child or none, and hangs up on those that came for nothing", async () => {
  const hasty = new StreamServer({ path: bench.path("hasty"), expectedMs: 50 });
  await hasty.listening;
  const expected = hasty.expect(["one/stdout", "one/stderr"]);
  const stream = await openStream(bench.path("hasty"), "one/stdout");
  opened.push(stream);
  await expect(expected).rejects.toThrow("No connection came for one of one/stdout, one/stderr");
  await once(stream.resume(), "end");
  hasty.close();
});

it("is read only while it is not paused, and loses nothing", async () => {
  const expected = server.expect(["one/stdout"]);
  const stream = await open("one/stdout");
  const [child] = await expected;
  if (child === undefined) throw new Error("The stream is missing");
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
    const expected = server.expect(["one/stdout"]);
    const stranger = connect(path());
    opened.push(stranger);
    stranger.write(words);
    stranger.resume();
    await once(stranger, "close");
    await open("one/stdout");
    opened.push(...(await expected));
    expect(stranger.destroyed).toBe(true);
  },
);
