import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { OutputQueue } from "./output-queue.ts";

async function textOf(queue: OutputQueue): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of queue) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("reading ahead", () => {
  it("stops at the limit and goes on when the reader has caught up", async () => {
    const source = new PassThrough();
    const queue = new OutputQueue(10);
    queue.attach(source);
    source.write("0123456789");
    await eventually(() => queue.isFull, "it is full");
    source.end("rest");
    expect(await textOf(queue)).toBe("0123456789rest");
  });

  it("is over at once when the stream ended before it was attached: a child that said nothing is not waited for", async () => {
    const source = new PassThrough({ allowHalfOpen: true, autoDestroy: false });
    source.resume().end();
    await once(source, "end");
    const queue = new OutputQueue(10);
    queue.attach(source);
    await queue.drain(600_000);
    expect(await textOf(queue)).toBe("");
  });

  it("gives a reader that is ready each chunk in its read, and queues for one that is not", async () => {
    const source = new PassThrough();
    const queue = new OutputQueue(100);
    queue.attach(source);
    const given: string[] = [];
    let release = (): void => undefined;
    const ended = queue.read((chunk) => {
      given.push(Buffer.from(chunk).toString());
      if (given.length !== 2) return undefined;
      return new Promise((resolve) => {
        release = resolve;
      });
    });
    source.emit("data", Buffer.from("a"));
    const inItsRead = [...given];
    for (const piece of ["b", "c", "d"]) source.emit("data", Buffer.from(piece));
    const whileBusy = [...given];
    release();
    source.end();
    await ended;
    expect({ inItsRead, whileBusy, given }).toEqual({
      inItsRead: ["a"],
      whileBusy: ["a", "b"],
      given: ["a", "b", "c", "d"],
    });
  });

  it("rejects with what its reader throws, and drops the rest", async () => {
    const source = new PassThrough();
    const queue = new OutputQueue(10);
    queue.attach(source);
    const ended = queue.read(() => {
      throw new Error("The disk is full");
    });
    source.write("0123456789".repeat(10));
    await expect(ended).rejects.toThrow("The disk is full");
    expect(queue.isFull).toBe(false);
    queue.close();
  });

  it("cuts off a grandchild that floods the pipe after the child's end", async () => {
    const source = new PassThrough();
    const queue = new OutputQueue(10);
    queue.attach(source);
    const drained = queue.drain(60_000);
    source.write(Buffer.alloc(2 * 1024 * 1024));
    await drained;
    expect((await textOf(queue)).length).toBeGreaterThan(1024 * 1024);
  });

  it("does not hold the child up once nobody wants the rest", async () => {
    const source = new PassThrough();
    const queue = new OutputQueue(10);
    queue.attach(source);
    source.write("0123456789");
    for await (const _ of queue) break;
    source.write("0123456789".repeat(10));
    await eventually(() => source.readableLength === 0, "it has been read");
    expect(queue.isFull).toBe(false);
    queue.close();
  });

  it("takes a broken stream for an ended one", async () => {
    const source = new PassThrough();
    const queue = new OutputQueue(10);
    queue.attach(source);
    source.write("half");
    await queue.firstOutput;
    source.destroy(new Error("ECONNRESET"));
    expect({ text: await textOf(queue), firstOutput: await queue.firstOutput }).toEqual({
      text: "half",
      firstOutput: true,
    });
  });
});
