import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { StdinWriter } from "./stdin-writer.ts";

const options = { stallMs: 1_000, isExcused: () => false };

it("writes to a child that has its streams in the very call, and then in order", async () => {
  const stdin = new PassThrough();
  const writer = new StdinWriter(options);
  writer.attach(stdin);
  const first = writer.write("one ");
  const atOnce = String(stdin.read());
  const outcomes = await Promise.all([first, writer.write("two "), writer.write("three"), writer.end()]);
  expect({ atOnce, outcomes, later: String(stdin.read()), isEnded: stdin.writableEnded }).toEqual({
    atOnce: "one ",
    outcomes: ["written", "written", "written", "written"],
    later: "two three",
    isEnded: true,
  });
});

it("keeps what was written before the child had its streams, in order", async () => {
  const stdin = new PassThrough();
  const writer = new StdinWriter(options);
  const outcomes = Promise.all([writer.write("one "), writer.write("two"), writer.end()]);
  writer.attach(stdin);
  expect({ outcomes: await outcomes, said: String(stdin.read()) }).toEqual({
    outcomes: ["written", "written", "written"],
    said: "one two",
  });
});

it("calls every write broken to a child without standard input, and to one that is gone", async () => {
  const without = new StdinWriter(options);
  without.attach(undefined);
  const gone = new StdinWriter(options);
  gone.attach(new PassThrough());
  gone.close();
  const never = new StdinWriter(options);
  const early = never.write("x");
  never.close();
  expect(await Promise.all([without.write("x"), without.end(), gone.write("x"), early])).toEqual([
    "broken",
    "broken",
    "broken",
    "broken",
  ]);
});
