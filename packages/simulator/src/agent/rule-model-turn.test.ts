import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Json, SimulatorSandbox } from "../cli/testing/simulator-sandbox.ts";

let sandbox: SimulatorSandbox;
beforeEach(() => {
  sandbox = new SimulatorSandbox();
});
afterEach(() => sandbox.remove());

const answerOf = (events: readonly Json[]) => String(events.at(-1)?.["result"]);

describe("a turn without a scenario", () => {
  it("does what the prompt asks, in the workspace", async () => {
    sandbox.write("notes.txt", "alpha\nbeta\n");
    const prompt = "Read notes.txt, then run `wc -l notes.txt`, then write the number into count.txt";
    const events = await sandbox.turn(prompt, ["--force"]);
    expect(answerOf(events)).toContain("alpha");
    expect(readFileSync(join(sandbox.workspace, "count.txt"), "utf8").trim()).toBe("2");
  });

  it("remembers earlier turns of a resumed chat", async () => {
    const first = await sandbox.turn("My name is Ada");
    const second = await sandbox.turn("What is my name?", ["--resume", String(first[0]?.["session_id"])]);
    expect(answerOf(second)).toContain("Ada");
    expect(answerOf(await sandbox.turn("What is my name?"))).not.toContain("Ada");
  });

  it("reports usage", async () => {
    const { usage } = (await sandbox.turn("hello")).at(-1) as { usage: Json };
    expect(Object.keys(usage)).toEqual(["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"]);
  });

  it("fires the session's hooks", async () => {
    const hook = (name: string) => [{ command: `cat > /dev/null; echo ${name} >> hooks.log` }];
    const hooks = { sessionStart: hook("sessionStart"), stop: hook("stop"), sessionEnd: hook("sessionEnd") };
    sandbox.write(".cursor/hooks.json", JSON.stringify({ version: 1, hooks }));
    await sandbox.turn("hello");
    expect(readFileSync(join(sandbox.workspace, "hooks.log"), "utf8")).toBe("sessionStart\nstop\nsessionEnd\n");
  });
});
