import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../../../bin/caret.js", import.meta.url));
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-decode-"));
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `caret decode` as a person runs it: a process, with this on its standard input. */
async function decode(args: readonly string[], stdin: string | Uint8Array = ""): Promise<Ended> {
  const child = spawn(process.execPath, [program, "decode", ...args], { cwd: directory });
  // A child that refuses its arguments has gone before it read anything.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

const lines = (...objects: readonly object[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join("");
const init = { type: "system", subtype: "init", session_id: "u1", model: "Auto", cwd: "/demo" };
const says = (words: string, more: object = {}): object => ({
  type: "assistant",
  message: { role: "assistant", content: [{ type: "text", text: words }] },
  session_id: "u1",
  ...more,
});
const delta = (words: string): object => says(words, { timestamp_ms: 1_790_000_000_000 });
const result = (words: string): object => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: words,
  session_id: "u1",
  usage: { inputTokens: 3, outputTokens: 2 },
});
const recording = lines(init, delta("Grüße, "), delta("Welt 🙂"), says("Grüße, Welt 🙂"), result("Grüße, Welt 🙂"));

const events = [
  { type: "turn-start", turnId: "decoded", lane: "cli" },
  { type: "session-ready", sessionId: "u1", model: "Auto", workspace: "/demo" },
  { type: "text-start", blockId: "text-1" },
  { type: "text-delta", blockId: "text-1", text: "Grüße, " },
  { type: "text-delta", blockId: "text-1", text: "Welt 🙂" },
  { type: "text-end", blockId: "text-1" },
  { type: "usage", usage: { input: 3, output: 2 } },
  { type: "turn-end", outcome: { kind: "completed" } },
];

describe("caret decode", () => {
  it("prints the events of a recording, one on each line, and on standard error which dialect it was", async () => {
    expect(await decode([], recording)).toEqual({
      code: 0,
      stdout: lines(...events),
      stderr: "caret: decoded as stream-json\n",
    });
  });

  it("reads a recording from a file", async () => {
    writeFileSync(join(directory, "recording.ndjson"), recording);
    expect((await decode(["recording.ndjson"])).stdout).toBe(lines(...events));
  });

  it("prints nothing but the text when that is asked for, without a newline of its own", async () => {
    expect(await decode(["--text"], recording)).toEqual({ code: 0, stdout: "Grüße, Welt 🙂", stderr: "" });
  });

  it("prints what the turn amounts to as one object", async () => {
    const { code, stdout, stderr } = await decode(["--summary"], recording);
    expect([code, stderr, JSON.parse(stdout)]).toEqual([
      0,
      "",
      {
        dialect: "stream-json",
        sessionId: "u1",
        model: "Auto",
        text: "Grüße, Welt 🙂",
        segments: ["Grüße, Welt 🙂"],
        thinking: "",
        tools: [],
        todos: [],
        plan: null,
        usage: { input: 3, output: 2 },
        notices: [],
        unknown: 0,
        unknownLabels: {},
        outcome: { kind: "completed" },
      },
    ]);
  });

  it("takes each message for the only copy of its text when the recording was made without partial output", async () => {
    const whole = lines(init, delta("ha"), says("ha"), result("haha"));
    expect((await decode(["--no-partial", "--text"], whole)).stdout).toBe("haha");
    expect((await decode(["--text"], lines(init, delta("ha"), says("ha"), result("ha")))).stdout).toBe("ha");
  });

  it.each([
    ["contract", lines({ type: "assistant_delta", data: { content: "hi" } }, { type: "done", data: {} })],
    [
      "payload",
      lines(
        { type: "assistant", subtype: "message", payload: { message: { content: [{ type: "text", text: "hi" }] } } },
        { type: "result", subtype: "success", payload: { exitCode: 0, is_error: false } },
      ),
    ],
    ["stream-json", lines(init, says("hi"), result("hi"))],
  ])("recognises the %s dialect, and reads it just as well when the flag names it", async (dialect, stdin) => {
    const recognised = await decode([], stdin);
    expect([recognised.code, recognised.stderr]).toEqual([0, `caret: decoded as ${dialect}\n`]);
    expect(recognised.stdout).toContain('"text":"hi"');
    expect(await decode(["--dialect", dialect], stdin)).toEqual(recognised);
  });

  it("reads on to the end of a recording that goes on after its turn has ended, prints none of it, and says so", async () => {
    expect(await decode(["--text"], recording + lines(delta("more")).repeat(10_000))).toEqual({
      code: 0,
      stdout: "Grüße, Welt 🙂",
      stderr: "caret: left out what came after the end of a turn (10000 events)\n",
    });
  });

  it("prints the plan of a turn that only plans, apart from what else was said", async () => {
    const plan = { createPlanToolCall: { args: { plan: "# Ship it\n\n1. Build", name: "Ship it" } } };
    const call = { type: "tool_call", subtype: "completed", call_id: "p", tool_call: plan };
    const planned = lines(init, delta("Thinking about it."), call, delta("Planned."), result(""));
    expect(await decode(["--text"], planned)).toMatchObject({
      code: 0,
      stdout: "Thinking about it.\n\n# Ship it\n\n1. Build\n\nPlanned.",
    });
    const { stdout } = await decode(["--summary"], lines(init, call, result("")));
    expect(JSON.parse(stdout)).toMatchObject({ text: "", plan: "# Ship it\n\n1. Build" });
  });
});

describe("caret decode of several turns in one recording", () => {
  const again = { ...init, session_id: "u2" };
  const joined = recording + lines(again, delta("Again."), { ...result("Again."), session_id: "u2" });

  it("prints each of them as a turn of its own", async () => {
    const second = [
      { type: "turn-start", turnId: "decoded-2", lane: "cli" },
      { type: "session-ready", sessionId: "u2", model: "Auto", workspace: "/demo" },
      { type: "text-start", blockId: "text-1" },
      { type: "text-delta", blockId: "text-1", text: "Again." },
      { type: "text-end", blockId: "text-1" },
      { type: "usage", usage: { input: 3, output: 2 } },
      { type: "turn-end", outcome: { kind: "completed" } },
    ];
    expect(await decode([], joined)).toEqual({
      code: 0,
      stdout: lines(...events, ...second),
      stderr: "caret: decoded as stream-json\n",
    });
  });

  it("finds one that begins on the line that ends the other, under the same session, or with a prompt alone", async () => {
    const prompt = { type: "user", message: { role: "user", content: [{ type: "text", text: "More" }] } };
    const glued = joined.replaceAll("}\n{", "} {");
    const texts = await Promise.all(
      [glued, recording.repeat(3), recording + lines(prompt, delta("More."), result("More."))].map(
        async (recorded) => (await decode(["--text"], recorded)).stdout,
      ),
    );
    const first = "Grüße, Welt 🙂";
    expect(texts).toEqual([`${first}\n\nAgain.`, `${first}\n\n${first}\n\n${first}`, `${first}\n\nMore.`]);
  });

  it("sums them up in one object that also has each by itself", async () => {
    const { stdout } = await decode(["--summary"], joined);
    const { turns, ...whole } = JSON.parse(stdout);
    expect(whole).toMatchObject({
      sessionId: "u2",
      text: "Grüße, Welt 🙂Again.",
      segments: ["Grüße, Welt 🙂", "Again."],
      usage: { input: 6, output: 4 },
      outcome: { kind: "completed" },
    });
    expect(turns).toMatchObject([
      { sessionId: "u1", text: "Grüße, Welt 🙂" },
      { sessionId: "u2", text: "Again." },
    ]);
  });

  it("exits with 1 when any of them failed", async () => {
    const failed = lines(init, { type: "result", subtype: "error", is_error: true, result: "No luck" });
    const codes = await Promise.all([failed + recording, recording + failed].map((recorded) => decode([], recorded)));
    expect(codes.map(({ code }) => code)).toEqual([1, 1]);
  });
});

describe("caret decode exits with 1", () => {
  it("when the recording stops before its turn ended", async () => {
    const { code, stdout } = await decode(["--summary"], lines(init, delta("Half a")));
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { text: "Half a", outcome: { kind: "failed", error: { code: "no-result" } } },
    ]);
  });

  it("when the recorded turn failed", async () => {
    const failed = { type: "result", subtype: "error", is_error: true, result: "Out of luck", session_id: "u1" };
    const { code, stdout } = await decode([], lines(init, failed));
    expect([code, JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")]).toMatchObject([
      1,
      { type: "turn-end", outcome: { kind: "failed" } },
    ]);
  });

  it("when there is nothing to decode", async () => {
    expect((await decode([])).code).toBe(1);
  });
});

describe("caret decode exits with 2 and prints no event", () => {
  it("when the recording is not there, naming it and what to do", async () => {
    expect(await decode(["missing.ndjson"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "caret: Cannot read missing.ndjson [invalid-request]\n  Name a recording that exists and can be read.\n",
    });
  });

  it.each([
    ["a dialect that does not exist", ["--dialect", "esperanto"], "esperanto"],
    ["an option that does not exist", ["--loud"], "--loud"],
    ["two ways of printing at once", ["--text", "--summary"], "--summary"],
    ["two files", ["a.ndjson", "b.ndjson"], "too many arguments"],
  ])("when it is given %s", async (_what, args, word) => {
    const { code, stdout, stderr } = await decode(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(word);
  });
});

describe("caret decode in a pipe", () => {
  // Known to fail: `write` waits with `events.once`, which rejects when the reader goes, and decode takes that for an
  // input it cannot read. When it is fixed, this test fails and says to make it a plain one.
  it("ends quietly when its reader goes away in the middle", async () => {
    writeFileSync(
      join(directory, "long.ndjson"),
      lines(init, ...Array<object>(50_000).fill(delta("word ")), result("")),
    );
    const child = spawn(process.execPath, [program, "decode", "long.ndjson"], { cwd: directory });
    const stderr = text(child.stderr);
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    expect({ code, signal, stderr: await stderr }).toEqual({
      code: 0,
      signal: null,
      stderr: "caret: decoded as stream-json\n",
    });
  });

  it("prints a turn as it comes, without waiting for its end", async () => {
    const child = spawn(process.execPath, [program, "decode", "--text"]);
    child.stdin.write(lines(init, delta("First. ")));
    const [first] = (await once(child.stdout, "data")) as [Buffer];
    child.stdin.end(lines(delta("Second."), result("First. Second.")));
    const [rest] = await Promise.all([text(child.stdout), once(child, "close")]);
    expect([first.toString(), rest]).toEqual(["First. ", "Second."]);
  });
});
