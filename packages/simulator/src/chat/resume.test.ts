import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseLines, SimulatorSandbox } from "../cli/testing/simulator-sandbox.ts";
import { findProjectDir } from "../config/config-dir.ts";

let sandbox: SimulatorSandbox;
beforeEach(() => {
  sandbox = new SimulatorSandbox();
});
afterEach(() => sandbox.remove());

const scenario = { turns: [[{ text: "one" }], [{ text: "two" }], [{ text: "three" }]] };

/** Session and answer of one turn; the answer says how many turns the chat had before. */
async function turn(...args: readonly string[]): Promise<{ session: unknown; answer: unknown }> {
  const result = (await sandbox.turn("hi", args, { scenario })).at(-1);
  return { session: result?.["session_id"], answer: result?.["result"] };
}

describe("resuming a chat", () => {
  it("goes on with the chat of that id", async () => {
    const { session } = await turn();
    expect(await turn("--resume", String(session))).toEqual({ session, answer: "two" });
    expect(await turn(`--resume=${session}`)).toEqual({ session, answer: "three" });
  });

  it("counts back from the latest, and --continue takes the latest", async () => {
    const older = await turn();
    const newer = await turn();
    expect(await turn("--resume=-2")).toEqual({ session: older.session, answer: "two" });
    expect(await turn("--resume=-2")).toEqual({ session: newer.session, answer: "two" });
    expect(await turn("--continue")).toEqual({ session: newer.session, answer: "three" });
  });

  it("silently starts a new chat under an id it has never seen", async () => {
    const session = "00000000-0000-4000-8000-0000000000ff";
    expect(await turn("--resume", session)).toEqual({ session, answer: "one" });
    expect(await turn("--resume", session)).toEqual({ session, answer: "two" });
  });

  it("does not find the chat from another workspace", async () => {
    const { session } = await turn();
    expect(await turn("--resume", String(session), "--workspace", sandbox.directory)).toEqual({
      session,
      answer: "one",
    });
  });

  it("has nothing to continue in a fresh workspace", async () => {
    expect(await sandbox.run(["-p", "--trust", "--continue", "hi"])).toMatchObject({
      code: 1,
      stderr: "No previous chats found.\n",
    });
  });
});

describe("the transcript", () => {
  it("has the turns without tool results", async () => {
    const tool = { name: "ls", args: { path: "." } };
    const events = await sandbox.turn("hi", [], {
      scenario: { turns: [[{ text: "Look." }, { tool }, { text: "Ok." }]] },
    });
    const id = String(events[0]?.["session_id"]);
    const project = findProjectDir({ CURSOR_CONFIG_DIR: sandbox.configDir }, sandbox.workspace);
    const transcript = readFileSync(join(project, "agent-transcripts", id, `${id}.jsonl`), "utf8");
    expect(parseLines(transcript)).toEqual([
      { role: "user", message: { content: [{ type: "text", text: "<user_query>\nhi\n</user_query>" }] } },
      {
        role: "assistant",
        message: {
          content: [
            { type: "text", text: "Look." },
            { type: "tool_use", name: "LS", input: { path: "." } },
          ],
        },
      },
      { role: "assistant", message: { content: [{ type: "text", text: "Ok." }] } },
      { type: "turn_ended", status: "success" },
    ]);
  });
});

describe("a seed", () => {
  it("makes two runs print the same bytes, and still gives the second chat an id of its own", async () => {
    const env = { CARET_SIM_SEED: "7" };
    const run = () => sandbox.run(["-p", "--trust", "--output-format", "stream-json", "hi"], { env, scenario });
    const first = await run();
    const second = await run();
    const other = new SimulatorSandbox();
    const elsewhere = await other.run(["-p", "--trust", "--output-format", "stream-json", "hi"], {
      env: { ...env, CURSOR_CONFIG_DIR: join(other.directory, "fresh") },
      cwd: sandbox.workspace,
      scenario,
    });
    other.remove();
    expect(elsewhere.stdout).toBe(first.stdout);
    expect(parseLines(second.stdout)[0]?.["session_id"]).not.toBe(parseLines(first.stdout)[0]?.["session_id"]);
  });
});
