import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import {
  createConversations,
  openScratchDirectories,
  openSqliteLineageStore,
  type RuntimeConversations,
} from "@caret/runtime";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { openEngine } from "../engine/compose.ts";
import type { Host } from "../host/host.ts";
import { scratchRoot } from "../workspaces/workspace-access.ts";

/** RuntimeConversations over the real engine and the simulated agent, as a gateway has them. */
let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-conversations-")));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function withConversations<Result>(
  work: (conversations: RuntimeConversations) => Promise<Result>,
): Promise<Result> {
  const host = hostOf(directory);
  const { config } = loadConfig({ ...host, flags: {}, readFile: () => undefined });
  const { engine, close } = await openEngine(host, config, { workspaces: [], keepWarm: false });
  const lineage = openSqliteLineageStore({ directory: config.dataDir });
  const scratch = openScratchDirectories({ root: scratchRoot(config), newId: randomUUID, now: Date.now });
  const conversations = createConversations({
    engine,
    lineage,
    scratch,
    resolveModel: async () => "auto",
    defaultWorkspace: undefined,
    now: Date.now,
  });
  try {
    return await work(conversations);
  } finally {
    await conversations.close();
    await close();
    await lineage.close();
  }
}

function hostOf(home: string): Host {
  const stream = () => new PassThrough();
  return {
    argv: [],
    command: "caret",
    env: {
      PATH: process.env["PATH"] ?? "",
      CARET_LANE: "sim",
      CARET_SPAWNER_ENABLED: "false",
      CARET_DATA_DIR: join(home, "data"),
      CARET_SIM_LOG: join(home, "sim.log"),
    },
    cwd: home,
    home,
    platform: process.platform,
    uid: process.getuid?.(),
    stdin: stream(),
    stdout: stream(),
    stderr: stream(),
    onSignal: () => () => undefined,
  };
}

async function ask(conversations: RuntimeConversations, ...texts: readonly string[]) {
  const messages = texts.map((text) => ({ role: "user", parts: [{ kind: "text", text }] }) as const);
  const requestedModel = { model: undefined, cursorModel: undefined, effort: undefined, thinking: undefined };
  const turn = await conversations.open(
    {
      door: "openai",
      system: "Be brief.",
      tools: [],
      unavailableTools: [],
      toolChoice: "auto" as const,
      callableTools: undefined,
      parallelCalls: true,
      messages,
      requestedModel,
      sessionKey: "k",
      workspace: undefined,
      owner: undefined,
    },
    { tokenName: "default", workspace: undefined },
  );
  await turn.follow(() => undefined, new AbortController().signal);
  return { relation: turn.relation, sessionId: turn.sessionId, outcome: (await turn.outcome).kind };
}

interface Invocation {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly stdin?: { readonly text?: string };
}

function invocations(): readonly Invocation[] {
  const lines = readFileSync(join(directory, "sim.log"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line)).filter(({ argv }) => argv?.includes("-p"));
}

it("goes on with a client's conversation in the agent's own chat, even after a restart", async () => {
  const first = await withConversations((conversations) => ask(conversations, "hello"));
  const second = await withConversations((conversations) => ask(conversations, "hello", "and again"));
  expect([first, second]).toEqual([
    { relation: "new", sessionId: first.sessionId, outcome: "completed" },
    { relation: "continuation", sessionId: first.sessionId, outcome: "completed" },
  ]);
  const [one, two] = invocations();
  expect([one?.stdin?.text, two?.stdin?.text, two?.cwd]).toEqual(["hello", "and again", one?.cwd]);
  expect({ firstResumes: one?.argv.includes("--resume"), secondResumes: two?.argv.includes("--resume") }).toEqual({
    firstResumes: false,
    secondResumes: true,
  });
  expect(readFileSync(join(one?.cwd ?? "", ".cursor/rules/caret.mdc"), "utf8")).toContain("Be brief.");
}, 30_000);
