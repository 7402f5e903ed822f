import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callBody, type Json, parseLines, SimulatorSandbox, streamArgs } from "./cli/testing/simulator-sandbox.ts";
import type { ScenarioInput } from "./scenario/scenario.ts";

let sandbox: SimulatorSandbox;
beforeEach(() => {
  sandbox = new SimulatorSandbox();
});
afterEach(() => sandbox.remove());

const partial = "--stream-partial-output";
const sessionId = "0f0e0d0c-0b0a-4908-8706-050403020100";
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const marks: Readonly<Record<string, string>> = {
  "tool_call/started": "T+",
  "tool_call/completed": "T-",
  "interaction_query/request": "IQ",
  "retry/starting": "R",
};

/** A letter for what each event is; assistant events add their text: D delta (or the trap), F flush, E end. */
function spoken(events: readonly Json[]): readonly string[] {
  return events.flatMap((event) => {
    const mark = marks[`${event["type"]}/${event["subtype"]}`];
    if (mark !== undefined) return [mark];
    return event["type"] === "assistant" ? [`${formOf(event)}(${textOf(event)})`] : [];
  });
}

function formOf(event: Json): string {
  if ("model_call_id" in event) return "F";
  return "timestamp_ms" in event ? "D" : "E";
}

function textOf(event: Json): string | undefined {
  return (event["message"] as { content: readonly { text: string }[] }).content[0]?.text;
}

const readsAFile: ScenarioInput = {
  tokensPerDelta: 1,
  turns: [
    [
      { thinking: "Let me see." },
      { text: "I look" },
      {
        tools: [
          { name: "read", args: { path: "a.txt" } },
          { name: "ls", args: { path: "." } },
        ],
      },
      { text: "ha ha" },
    ],
  ],
};

describe("the opening of a stream", () => {
  it("emits the physical directory, the model's display name and the session, then echoes the prompt", async () => {
    const link = join(sandbox.directory, "link");
    symlinkSync(sandbox.workspace, link);
    const args = ["--resume", sessionId, "--model", "GPT-5.4-HIGH", "--workspace", link];
    const events = await sandbox.turn("Say hi", args, { scenario: { turns: [[{ text: "hi" }]] } });
    expect(events.slice(0, 2)).toEqual([
      {
        type: "system",
        subtype: "init",
        apiKeySource: "login",
        cwd: sandbox.workspace,
        session_id: sessionId,
        model: "GPT-5.4 High",
        permissionMode: "default",
      },
      { type: "user", message: { role: "user", content: [{ type: "text", text: "Say hi" }] }, session_id: sessionId },
    ]);
  });

  it.each([
    ["login", [], {}],
    ["flag", ["--api-key", "key_1"], {}],
    ["env", [], { CURSOR_API_KEY: "key_1" }],
  ])("says that the key came from %s", async (source, args, env) => {
    const [init] = await sandbox.turn("hi", args, { env, scenario: { turns: [[{ text: "hi" }]] } });
    expect(init).toMatchObject({ apiKeySource: source });
  });

  it("prints where the worktree is before the first JSON line", async () => {
    const identity = ["-c", "user.email=a@example.com", "-c", "user.name=a"];
    execFileSync("git", ["init", "-q"], { cwd: sandbox.workspace });
    execFileSync("git", [...identity, "commit", "-q", "--allow-empty", "-m", "one"], { cwd: sandbox.workspace });
    const { stdout } = await sandbox.run([...streamArgs, "-w", "side", "--", "hi"]);
    const path = join(sandbox.configDir, "worktrees", "workspace", "side");
    expect(stdout.split("\n")[0]).toBe(`Using worktree: ${path}`);
    expect(JSON.parse(stdout.split("\n")[1] ?? "")).toMatchObject({ type: "system", cwd: path });
  });
});

describe("the text of a stream", () => {
  it("with partial output shows every delta, and each segment once more when it is flushed", async () => {
    sandbox.write("a.txt", "alpha\n");
    const events = await sandbox.turn("go", [partial], { scenario: readsAFile });
    expect(spoken(events)).toEqual([
      ...["D(I)", "D( look)", "F(I look)", "T+", "T+", "T-", "T-"],
      ...["D(ha)", "D( ha)", "E(ha ha)"],
    ]);
    expect(events.at(-1)).toMatchObject({ type: "result", result: "I lookha ha" });
  });

  it("without partial output shows only the flushes", async () => {
    sandbox.write("a.txt", "alpha\n");
    const events = await sandbox.turn("go", [], { scenario: readsAFile });
    expect(spoken(events)).toEqual(["F(I look)", "T+", "T+", "T-", "T-", "E(ha ha)"]);
  });

  it.each([[[partial]], [[]]])("before a query or a retry flushes in the form of a delta (%j)", async (args) => {
    const scenario: ScenarioInput = {
      turns: [
        [
          { text: "Search" },
          { tool: { name: "webSearch", args: { searchTerm: "x" } } },
          { text: "Once" },
          { retry: {} },
          { text: "Done" },
        ],
      ],
    };
    const events = await sandbox.turn("go", args, { scenario });
    const isPartial = args.length > 0;
    expect(spoken(events)).toEqual([
      ...(isPartial ? ["D(Search)"] : []),
      ...["D(Search)", "IQ", "T+", "T-"],
      ...(isPartial ? ["D(Once)"] : []),
      ...["D(Once)", "R"],
      ...(isPartial ? ["D(Done)"] : []),
      "E(Done)",
    ]);
  });

  it("does not flush before a call that never started, so its text joins the next segment", async () => {
    const call = { name: "read", args: { path: "none" }, started: false };
    const scenario: ScenarioInput = { turns: [[{ text: "one " }, { tool: call }, { text: "two" }]] };
    expect(spoken(await sandbox.turn("go", [], { scenario }))).toEqual(["T-", "E(one two)"]);
  });

  it("shows thinking as deltas with an end, in both modes", async () => {
    const scenario: ScenarioInput = { tokensPerDelta: 2, turns: [[{ thinking: "one two three" }]] };
    for (const args of [[], [partial]]) {
      const events = await sandbox.turn("go", ["--resume", sessionId, ...args], { scenario });
      const stamp = { session_id: sessionId, timestamp_ms: expect.any(Number) };
      expect(events.filter(({ type }) => type === "thinking")).toEqual([
        { type: "thinking", subtype: "delta", text: "one two", ...stamp },
        { type: "thinking", subtype: "delta", text: " three", ...stamp },
        { type: "thinking", subtype: "completed", ...stamp },
      ]);
    }
  });
});

describe("the calls of a stream", () => {
  it("start side by side under one model call id, with a newline in each call id and siblings beside the tool", async () => {
    sandbox.write("a.txt", "alpha\n");
    const events = await sandbox.turn("go", ["--resume", sessionId], { scenario: readsAFile });
    const calls = events.filter(({ type }) => type === "tool_call");
    const [first, second] = calls;
    expect(first?.["call_id"]).toMatch(/^call-[0-9a-f-]{36}-0\nfc_[0-9a-f-]{36}_0$/);
    expect(second?.["call_id"]).toMatch(/^call-[0-9a-f-]{36}-1\nfc_[0-9a-f-]{36}_1$/);
    const { request_id: requestId } = events.at(-1) as { request_id: string };
    expect(new Set(calls.map((call) => call["model_call_id"]))).toEqual(new Set([first?.["model_call_id"]]));
    expect(first?.["model_call_id"]).toMatch(new RegExp(`^${requestId}-0-[0-9a-z]{4}$`));
    expect(first).toEqual({
      type: "tool_call",
      subtype: "started",
      call_id: first?.["call_id"],
      tool_call: {
        readToolCall: { args: { path: join(sandbox.workspace, "a.txt") } },
        hookAdditionalContexts: [],
        toolCallId: first?.["call_id"],
        startedAtMs: expect.stringMatching(/^\d{13}$/),
      },
      model_call_id: first?.["model_call_id"],
      session_id: sessionId,
      timestamp_ms: expect.any(Number),
    });
  });

  it("complete with their arguments, their result and the time of both ends", async () => {
    sandbox.write("a.txt", "alpha\n");
    const events = await sandbox.turn("go", [], { scenario: readsAFile });
    const completed = events.find(
      (event) => event["subtype"] === "completed" && callBody(event, "readToolCall") !== undefined,
    );
    const path = join(sandbox.workspace, "a.txt");
    expect(completed?.["tool_call"]).toMatchObject({
      readToolCall: { args: { path }, result: { success: { content: "alpha\n", totalLines: 2, path } } },
      startedAtMs: expect.any(String),
      completedAtMs: expect.any(String),
    });
  });

  it("lose their arguments when they are rejected", async () => {
    const scenario: ScenarioInput = { turns: [[{ tool: { name: "shell", args: { command: "touch made" } } }]] };
    const events = await sandbox.turn("go", [], { scenario });
    const [started, completed] = events.filter(({ type }) => type === "tool_call");
    expect(callBody(started, "shellToolCall")).toMatchObject({ args: { command: "touch made" } });
    expect(callBody(completed, "shellToolCall")).toEqual({
      result: {
        rejected: { command: "touch made", workingDirectory: sandbox.workspace, reason: "", isReadonly: false },
      },
    });
  });

  it("really happen in the workspace with --force", async () => {
    const scenario: ScenarioInput = { turns: [[{ tool: { name: "shell", args: { command: "echo hi > made" } } }]] };
    await sandbox.turn("go", ["--force"], { scenario });
    expect(readFileSync(join(sandbox.workspace, "made"), "utf8")).toBe("hi\n");
  });

  it("log a question before it starts, and its answer in the same breath", async () => {
    const scenario: ScenarioInput = { turns: [[{ question: { prompt: "Which?", options: ["a", "b"] } }]] };
    const events = await sandbox.turn("go", ["--resume", sessionId], { scenario });
    const [request, response, started, completed] = events.slice(2);
    const reason = "Questions skipped by the user, continue with the information you already have";
    expect(request).toMatchObject({
      type: "interaction_query",
      subtype: "request",
      query_type: "askQuestionInteractionQuery",
      query: { id: 0, askQuestionInteractionQuery: { args: { title: "Which?" } } },
    });
    expect(response).toEqual({
      type: "interaction_query",
      subtype: "response",
      query_type: "askQuestionInteractionQuery",
      response: { id: 0, askQuestionInteractionResponse: { result: { rejected: { reason } } } },
      session_id: sessionId,
      timestamp_ms: request?.["timestamp_ms"],
    });
    expect([started?.["subtype"], completed?.["subtype"]]).toEqual(["started", "completed"]);
    expect(callBody(completed, "askQuestionToolCall")).toMatchObject({
      args: { title: "Which?" },
      result: { rejected: { reason } },
    });
  });

  it("log a web fetch between start and end", async () => {
    const call = { name: "webFetch", args: { url: "https://example.com" } };
    const events = await sandbox.turn("go", [], { scenario: { turns: [[{ text: "Fetching." }, { tool: call }]] } });
    expect(spoken(events)).toEqual(["F(Fetching.)", "T+", "IQ", "T-"]);
  });
});

describe("the other events of a stream", () => {
  it("have the shapes of notifications, reconnects and retries", async () => {
    const scenario: ScenarioInput = {
      turns: [[{ notify: { taskId: "t1", title: "Sleep", detail: "done" } }, { reconnect: {} }, { retry: {} }]],
    };
    const events = await sandbox.turn("go", ["--resume", sessionId], { scenario });
    const stamp = { session_id: sessionId, timestamp_ms: expect.any(Number) };
    const endpoint = "https://agentn.global.api5.cursor.sh";
    expect(events.slice(2, -1)).toEqual([
      {
        type: "system",
        subtype: "task_notification",
        task_id: "t1",
        status: "success",
        title: "Sleep",
        detail: "done",
        ...stamp,
      },
      { type: "connection", subtype: "reconnecting", attempt: 1, endpoint_url: endpoint, ...stamp },
      { type: "connection", subtype: "reconnected", ...stamp },
      { type: "retry", subtype: "starting", attempt: 1, is_resume: true, ...stamp },
      { type: "retry", subtype: "resuming", attempt: 1, checkpoint_turn_count: 1, ...stamp },
    ]);
  });

  it("end with a result that joins all segments and sums the usage", async () => {
    const one = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    const scenario: ScenarioInput = { turns: [[{ text: "a" }, { usage: one }, { usage: one }]] };
    const result = (await sandbox.turn("go", ["--resume", sessionId], { scenario })).at(-1);
    expect(result).toEqual({
      type: "result",
      subtype: "success",
      duration_ms: result?.["duration_api_ms"],
      duration_api_ms: expect.any(Number),
      is_error: false,
      result: "a",
      session_id: sessionId,
      request_id: expect.stringMatching(uuid),
      usage: { inputTokens: 2, outputTokens: 4, cacheReadTokens: 6, cacheWriteTokens: 8 },
    });
  });
});

describe("the other output formats", () => {
  const scenario: ScenarioInput = {
    turns: [[{ text: "First." }, { tool: { name: "ls", args: { path: "." } } }, { text: "Last." }]],
  };

  it("text prints the last thing said", async () => {
    expect(await sandbox.run(["-p", "--trust", "go"], { scenario })).toEqual({
      code: 0,
      signal: null,
      stdout: "Last.\n",
      stderr: "",
    });
  });

  it("json prints the result alone", async () => {
    const { stdout } = await sandbox.run(["-p", "--trust", "--output-format", "json", "go"], { scenario });
    expect(parseLines(stdout)).toMatchObject([{ type: "result", subtype: "success", result: "First.Last." }]);
  });
});

describe("the prompt", () => {
  const scenario: ScenarioInput = { turns: [[{ text: "{{prompt}}" }]] };
  const base = ["-p", "--trust"];

  it("is the words of the command line joined with one space", async () => {
    expect(await sandbox.run([...base, "one", "two  three"], { scenario })).toMatchObject({
      stdout: "one two  three\n",
    });
  });

  it("may start with a dash after --", async () => {
    expect(await sandbox.run([...base, "--", "--force", "-x"], { scenario })).toMatchObject({ stdout: "--force -x\n" });
  });

  it("is all of stdin, trimmed, when there are no words", async () => {
    expect(await sandbox.run(base, { scenario, input: "\n  two\nlines \n\n" })).toMatchObject({
      stdout: "two\nlines\n",
    });
  });

  it("from the command line leaves the process alive until stdin closes", async () => {
    const running = sandbox.start([...base, "hello"], { scenario, keepInputOpen: true });
    await running.printed("hello\n");
    expect(running.child.exitCode).toBe(null);
    running.child.stdin.end();
    expect(await running.finished).toMatchObject({ code: 0, stdout: "hello\n" });
  });

  it("may be half a megabyte while the answer floods back", async () => {
    const input = "x".repeat(512 * 1024);
    const flood: ScenarioInput = { turns: [[{ text: "y ".repeat(1000), repeat: 300 }]] };
    const { stdout } = await sandbox.run([...streamArgs, partial], { scenario: flood, input });
    expect(parseLines(stdout).at(-1)).toMatchObject({ result: "y ".repeat(300_000) });
    expect(sandbox.log()).toMatchObject([{ event: "invocation", stdin: { bytes: input.length } }]);
  });
});

describe("the always-applied rules", () => {
  it("and AGENTS.md are read from the workspace", async () => {
    mkdirSync(join(sandbox.workspace, ".cursor"), { recursive: true });
    sandbox.write(".cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nFirst rule.\n");
    sandbox.write(".cursor/rules/b.mdc", "---\nalwaysApply: false\n---\nNever.\n");
    sandbox.write("AGENTS.md", "Second rule.\n");
    const { readRules } = await import("./chat/read-rules.ts");
    expect(readRules(sandbox.workspace)).toBe("First rule.\n\nSecond rule.");
  });
});
