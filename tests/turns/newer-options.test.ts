import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { playTurn } from "./play-turn.ts";
import { TurnBench } from "./turn-bench.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let bench: TurnBench;
beforeEach(() => {
  bench = new TurnBench();
});
afterEach(() => bench.remove());

/** The simulator as the installer would lay out this version, so that Caret knows it without asking. */
function install(version: string, scenario: Parameters<TurnBench["simulator"]>[0] = {}): string {
  const directory = join(bench.directory, "versions", version);
  mkdirSync(directory, { recursive: true });
  return bench.program(join(directory, "agent"), `#!/bin/sh\n${bench.simulator({ version, ...scenario })}\n`);
}

/** The options of each invocation that name a chat, and the command if there was one. */
function chatsAsked(): readonly string[] {
  return bench.invocations().map(({ argv }) => {
    const option = argv.findIndex((arg) => arg === "--resume" || arg === "--new-session-id");
    const command = argv.includes("create-chat") ? "create-chat" : "turn";
    return option < 0 ? command : `${command} ${argv[option]} ${argv[option + 1]}`;
  });
}

describe("A session that is made ahead of its first turn", () => {
  test("costs no process where the CLI takes the chat's id as an option", async () => {
    const { engine } = await bench.open({ settings: { cli: { command: install("2026.10.01-e373342") } } });
    const workspace = bench.workspace();
    const { id: sessionId, upstream } = await engine.createSession({ workspace });
    const chat = upstream[0]?.sessionId ?? "";
    const prompts = ["My name is Ada.", "What is my name?"];
    const texts: string[] = [];
    for (const prompt of prompts) texts.push((await playTurn(engine, { prompt, workspace, sessionId })).text);
    expect(chat).toMatch(uuid);
    expect({ chats: chatsAsked(), remembers: texts[1]?.includes("Ada") }).toEqual({
      chats: [`turn --new-session-id ${chat}`, `turn --resume ${chat}`],
      remembers: true,
    });
  });

  test("is resumed by a second try when the first had made the chat already", async () => {
    const agent = install("2026.10.01-e373342", {
      advance: "invocation",
      turns: [[{ fail: "network" }], [{ text: "Here." }]],
    });
    const { engine } = await bench.open({ settings: { cli: { command: agent } } });
    const workspace = bench.workspace();
    const { id: sessionId, upstream } = await engine.createSession({ workspace });
    const { text } = await playTurn(engine, { prompt: "Hello", workspace, sessionId });
    const chat = upstream[0]?.sessionId;
    expect({ text, chats: chatsAsked() }).toEqual({
      text: "Here.",
      chats: [`turn --new-session-id ${chat}`, `turn --resume ${chat}`],
    });
  });

  test("is asked for with create-chat where the CLI is older", async () => {
    const { engine } = await bench.open({ settings: { cli: { command: install("2026.09.15-d2fe57e") } } });
    const workspace = bench.workspace();
    const { id: sessionId, upstream } = await engine.createSession({ workspace });
    await playTurn(engine, { prompt: "Hello", workspace, sessionId });
    expect(chatsAsked()).toEqual(["create-chat", `turn --resume ${upstream[0]?.sessionId}`]);
  });

  test("chooses its own chat when the CLI has become older meanwhile", async () => {
    const newer = { cli: { command: install("2026.10.01-e373342") } };
    const workspace = bench.workspace();
    const first = await bench.open({ settings: newer });
    const { id: sessionId } = await first.engine.createSession({ workspace });
    await bench.close();
    const { engine } = await bench.open({ settings: { cli: { command: install("2026.09.15-d2fe57e") } } });
    const { outcome } = await playTurn(engine, { prompt: "Hello", workspace, sessionId });
    expect({ outcome, chats: chatsAsked() }).toEqual({ outcome: { kind: "completed" }, chats: ["turn"] });
  });
});

describe("A command that the agent leaves running in the background", () => {
  const leaves = (command: string) => ({
    turns: [[{ tool: { name: "shell", args: { command, isBackground: true } } }, { text: "Started." }]],
  });

  test("does not keep the turn from ending: an option limits how long the CLI waits for it", async () => {
    const agent = install("2026.10.01-e373342", leaves("sleep 600"));
    const settings = { cli: { command: agent, force: true }, clocks: { idleMs: 3_000 } };
    const { engine } = await bench.open({ settings });
    const workspace = bench.workspace();
    const { outcome, text, summary } = await playTurn(engine, { prompt: "Start it", workspace });
    expect({
      outcome,
      text,
      tool: summary.tools[0],
      notices: summary.notices.map(({ message }) => message),
    }).toMatchObject({
      outcome: { kind: "completed" },
      text: "Started.",
      tool: { status: "ok", output: expect.stringMatching(/^Runs in the background as shell 1, process \d+$/) },
      notices: ["1 command in the background stopped after 2 s"],
    });
    expect({ exitCode: summary.tools[0]?.exitCode, left: bench.processes(workspace) }).toEqual({
      exitCode: undefined,
      left: [],
    });
  });

  test("is reported when it ends by itself", async () => {
    const agent = install("2026.10.01-e373342", leaves("sleep 0.2; exit 3"));
    const { engine } = await bench.open({ settings: { cli: { command: agent, force: true } } });
    const { summary } = await playTurn(engine, { prompt: "Start it", workspace: bench.workspace() });
    expect(summary.notices.map(({ kind, message }) => ({ kind, message }))).toEqual([
      { kind: "background-task", message: "sleep 0.2; exit 3: error" },
    ]);
  });
});
