import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolCall } from "../../calls/tool-call.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { AttendedBench, approveAll, askedFor, eventsOf, only } from "../testing/attended-bench.ts";

const spawner = createInlineSpawner({});
let bench: AttendedBench;
beforeEach(() => {
  bench = new AttendedBench(spawner);
});
afterEach(() => bench.remove());
afterAll(() => spawner.close());

const edit = (old_string: string, new_string: string): ToolCall => ({
  name: "edit",
  input: { path: "a.txt", old_string, new_string },
});

describe("what a person is asked about", () => {
  it("comes with every argument, the real change, the reason for asking and the danger", async () => {
    bench.write("a.txt", "one\ntwo\nthree\n");
    const turn = await bench.start([
      [edit("two", "2")],
      [{ name: "exec", input: { command: "rm -rf dist", description: "Tidy up" } }],
    ]);
    const asked = approveAll(turn);
    await eventsOf(turn);
    expect(asked).toEqual([
      {
        type: "approval-request",
        requestId: expect.any(String),
        callId: expect.any(String),
        subject: "edit",
        kind: "edit",
        input: { path: "a.txt", old_string: "two", new_string: "2" },
        reason: "`supervised` asks about changes of files",
        effect: "Changes a.txt: 1 line added, 1 line removed",
        diff: { path: "a.txt", unified: "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" },
        grants: [{ id: "1", kind: "path", pattern: "a.txt", label: "every change of `a.txt`" }],
      },
      {
        type: "approval-request",
        requestId: expect.any(String),
        callId: expect.any(String),
        subject: "exec",
        kind: "shell",
        input: { command: "rm -rf dist", description: "Tidy up" },
        reason: expect.stringContaining("`rm` deletes or destroys data"),
        danger: expect.stringContaining("`rm` deletes or destroys data"),
      },
    ]);
  });

  it("is never what cannot be done: the agent gets an error at once", async () => {
    bench.write("a.txt", "one\none\n");
    const turn = await bench.start([
      [edit("nowhere", "x")],
      [edit("one", "x")],
      [{ name: "write", input: { path: "a.txt" } }],
      [{ name: "exec", input: { command: "true", cwd: "missing" } }],
    ]);
    const asked = approveAll(turn);
    const events = await eventsOf(turn);
    expect({ asked, heard: bench.heard, told: only(events, "approval-request") }).toEqual({
      asked: [],
      told: [],
      heard: [
        { text: "old_string does not occur in a.txt. Read the file again: white space counts, too.", isError: true },
        {
          text: "old_string occurs 2 times in a.txt. Add lines around it until it is unique, or set replace_all",
          isError: true,
        },
        { text: "Invalid arguments for write: input.content is missing", isError: true, isRejected: true },
        { text: "missing does not exist", isError: true },
      ],
    });
  });

  it("is asked about again when the file was changed meanwhile, and then runs as it was shown", async () => {
    bench.write("a.txt", "one\ntwo\n");
    const turn = await bench.start([[edit("two", "2")]]);
    const [first] = await askedFor(turn);
    bench.write("a.txt", "zero\none\ntwo\n");
    turn.asks.answerApproval(first?.requestId ?? "", { decision: "approved" });
    const asked = approveAll(turn);
    const events = await eventsOf(turn);
    expect({ again: asked.map(({ reason, diff }) => ({ reason, diff })), left: bench.read("a.txt") }).toEqual({
      again: [
        {
          reason:
            "It has changed since you approved it, so this is how it would be now: `supervised` asks about changes of files",
          diff: { path: "a.txt", unified: "@@ -1,3 +1,3 @@\n zero\n one\n-two\n+2\n" },
        },
      ],
      left: "zero\none\n2\n",
    });
    expect(only(events, "tool-result").map(({ status }) => status)).toEqual(["ok"]);
  });

  it("is done no more when the change that was approved can no longer be made", async () => {
    bench.write("a.txt", "one\ntwo\n");
    const turn = await bench.start([[edit("two", "2")]]);
    const [first] = await askedFor(turn);
    bench.write("a.txt", "something else\n");
    turn.asks.answerApproval(first?.requestId ?? "", { decision: "approved" });
    await eventsOf(turn);
    expect({ heard: bench.heard, left: bench.read("a.txt") }).toEqual({
      heard: [
        {
          text: "a.txt was changed after the user had approved this call. Nothing was done: read it and try again",
          isError: true,
        },
      ],
      left: "something else\n",
    });
  });

  it("is left alone when it changes each time before it is approved", async () => {
    bench.write("a.txt", "two 0\n");
    const turn = await bench.start([[edit("two", "2")]]);
    let times = 0;
    const stop = turn.asks.onChange(() => {
      for (const { requestId } of turn.asks.open()) {
        times += 1;
        bench.write("a.txt", `two ${times}\n`);
        turn.asks.answerApproval(requestId, { decision: "approved" });
      }
    });
    await eventsOf(turn);
    stop();
    expect({ times, left: bench.read("a.txt"), isError: bench.heard.map(({ isError }) => isError) }).toEqual({
      times: 3,
      left: "two 3\n",
      isError: [true],
    });
  });

  it("is refused when it is too large to be shown", async () => {
    const turn = await bench.start([[{ name: "write", input: { path: "big.txt", content: "x".repeat(2_100_000) } }]]);
    const asked = approveAll(turn);
    await eventsOf(turn);
    expect({ asked, names: bench.names(), heard: bench.heard }).toEqual({
      asked: [],
      names: [],
      heard: [
        {
          text: "write was not run: it is too large to be shown to the user, who would have to approve it. Do it in smaller steps.",
          isError: true,
          isRejected: true,
        },
      ],
    });
  });
});
