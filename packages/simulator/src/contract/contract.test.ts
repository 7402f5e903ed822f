import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseLines, type RunOptions, SimulatorSandbox } from "../cli/testing/simulator-sandbox.ts";

let sandbox: SimulatorSandbox;
beforeEach(() => {
  sandbox = new SimulatorSandbox();
});
afterEach(() => sandbox.remove());

const env = { CARET_SIM_DIALECT: "contract" };
const turn = (messages: readonly object[] = [{ role: "user", content: "hi" }], tools: readonly object[] = []) =>
  `${JSON.stringify({ type: "turn", turnId: "t1", messages, tools })}\n`;
const says = { tokensPerDelta: 1, turns: [[{ text: "Hello you" }]] };
const usage = { promptTokens: 10, completionTokens: 2 };
const counted = { usage: { inputTokens: 7, outputTokens: 2, cacheReadTokens: 3 } };
const asks = {
  turns: [[{ tool: { name: "exec", args: { command: "pwd" } } }, { text: "Seen." }, counted]],
};

const contract = (options: RunOptions) => sandbox.run(["auto", "--stream-json"], { env, ...options });

describe("a turn of the contract", () => {
  it("greets, speaks in deltas, counts and is done", async () => {
    const scenario = { ...says, turns: [[...says.turns.flat(), counted]] };
    const { code, stdout, stderr } = await contract({ input: turn(), scenario });
    expect([code, stderr]).toEqual([0, ""]);
    expect(parseLines(stdout)).toEqual([
      { type: "protocol", data: { version: "1.0" } },
      { type: "assistant_delta", data: { content: "Hello" } },
      { type: "assistant_delta", data: { content: " you" } },
      { type: "usage", data: usage },
      { type: "done", data: { finishReason: "stop" } },
    ]);
  });

  it("needs no newline after the turn, nor an environment variable with --contract", async () => {
    const { stdout } = await sandbox.run(["--contract"], { input: turn().trim(), scenario: says });
    expect(parseLines(stdout).at(-1)).toEqual({ type: "done", data: { finishReason: "stop" } });
  });

  it("may come in sentinel frames", async () => {
    const scenario = { turns: [[{ text: "Hi" }, counted]] };
    const { stdout } = await contract({ input: turn(), scenario, env: { ...env, CARET_SIM_SENTINEL: "1" } });
    const frames = stdout.split("__JSON_END__\n").filter((frame) => frame !== "");
    expect(frames).toEqual([
      '__JSON_START__\n{"type":"protocol","data":{"version":"1.0"}}\n',
      '__JSON_START__\n{"type":"assistant_delta","data":{"content":"Hi"}}\n',
      '__JSON_START__\n{"type":"usage","data":{"promptTokens":10,"completionTokens":2}}\n',
      '__JSON_START__\n{"type":"done","data":{"finishReason":"stop"}}\n',
    ]);
  });

  it.each([
    ["9.9", [{ type: "protocol", data: { version: "9.9" } }]],
    ["", []],
  ])("greets with version %j when the flag asks for it", async (version, expected) => {
    const { stdout } = await contract({ input: turn(), scenario: says, env: { ...env, CARET_SIM_PROTOCOL: version } });
    expect(parseLines(stdout).filter(({ type }) => type === "protocol")).toEqual(expected);
  });

  it("reports a failed turn as an error before it is done", async () => {
    const scenario = { turns: [[{ result: { isError: true, text: "token expired" } }]] };
    const { stdout } = await contract({ input: turn(), scenario });
    expect(parseLines(stdout)).toMatchObject([
      { type: "protocol" },
      { type: "error", data: { code: "MODEL_ERROR", message: "token expired" } },
      { type: "usage" },
      { type: "done", data: { finishReason: "error" } },
    ]);
  });

  it("refuses what is no turn", async () => {
    const { code, stdout } = await contract({ input: "{}\n" });
    expect([code, parseLines(stdout)]).toEqual([
      1,
      [{ type: "error", data: { code: "BAD_TURN", message: "The first line of stdin is not a turn" } }],
    ]);
  });
});

describe("the tools of the contract", () => {
  it("are handed over when stdin has ended", async () => {
    const { stdout } = await contract({ input: turn(), scenario: asks });
    expect(parseLines(stdout)).toMatchObject([
      { type: "protocol" },
      { type: "tool_call", data: { name: "exec", args: { command: "pwd" } } },
      { type: "usage" },
      { type: "done", data: { finishReason: "tool_calls" } },
    ]);
  });

  it("are answered by a later line", async () => {
    const running = sandbox.start([], { env, input: turn(), scenario: asks, keepInputOpen: true });
    const seen: string[] = [];
    running.child.stdout.on("data", (text: string) => seen.push(text));
    await running.printed("tool_call");
    const call = parseLines(seen.join("")).find(({ type }) => type === "tool_call");
    const data = call?.["data"] as { callId: string } | undefined;
    const reply = { type: "tool_result", callId: data?.callId, result: "/home" };
    running.child.stdin.write(`${JSON.stringify(reply)}\n`);
    expect(parseLines((await running.finished).stdout).slice(2)).toEqual([
      { type: "assistant_delta", data: { content: "Seen." } },
      { type: "usage", data: usage },
      { type: "done", data: { finishReason: "stop" } },
    ]);
  });
});

describe("a cancel line", () => {
  it("ends the turn at once and in good order", async () => {
    const scenario = { turns: [[{ text: "Working" }, { hang: true as const }]] };
    const running = sandbox.start([], { env, input: turn(), scenario, keepInputOpen: true });
    await running.printed("Working");
    running.child.stdin.write('{"type":"cancel"}\n');
    const { code, stdout } = await running.finished;
    expect([code, parseLines(stdout).at(-1)]).toEqual([0, { type: "done", data: { finishReason: "cancelled" } }]);
  });
});
