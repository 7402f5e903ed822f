import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteEventStore } from "@caret/runtime";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeLockFile } from "../../gateway/gateway-lock.ts";
import { version } from "../../host/program.ts";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addStatusCommand } from "./status.ts";

let home: string;
let data: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "caret-status-")));
  data = join(home, "data");
});
afterEach(() => rmSync(home, { recursive: true }));

function status(env: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<Tried> {
  return tryCommand(addStatusCommand, ["status", ...argv], { cwd: home, env: { CARET_DATA_DIR: data, ...env } });
}

it("says on one screen that nothing runs, and what would start it", async () => {
  expect((await status({})).stdout).toBe(
    [
      `Caret ${version}`,
      "  gateway      none runs; caret serve starts one",
      "  lane         auto",
      "  model        auto · pool: Cursor Models · $1.25 in, $6 out per million tokens",
      "  sessions     0, 0 at work",
      "  today        0 turns, 0 tokens, –",
      "  credentials  none found; caret auth lists where they may be",
      "  clients      none; caret install sets one up",
      `  data         ${data}`,
      "caret doctor checks all of it.",
      "",
    ].join("\n"),
  );
});

it("counts what runs and what today cost, and asks the gateway whether it answers", async () => {
  const server = createServer((_request, response) => void response.end("ok"));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeLockFile(data, { url, pid: 7, startTime: null, version: "0.0.1", tokenFile: null, socket: null, settings: {} });
  const store = openSqliteEventStore({ directory: data, role: "guest", now: Date.now });
  await store.createSession({ id: "s1", workspace: home, title: "t", lane: "cli", model: "auto", createdAt: 1 });
  const events = [
    { type: "turn-start", turnId: "t", lane: "cli", model: "auto" },
    { type: "usage", usage: { input: 1_000_000, output: 0 } },
    { type: "turn-end", outcome: { kind: "completed" } },
  ] as const;
  await store.append(
    "s1",
    0,
    events.map((event) => ({ turnId: "t", event, at: Date.now() })),
  );
  await store.close();
  mkdirSync(join(home, ".pi", "agent"), { recursive: true });
  writeFileSync(join(home, ".pi", "agent", "models.json"), `{"providers": {"caret": {}}}`);
  try {
    expect(JSON.parse((await status({ CURSOR_API_KEY: "k" }, "--json")).stdout)).toEqual({
      version,
      gateway: { url, version: "0.0.1", pid: 7, answers: true },
      lane: "auto",
      model: "auto",
      sessions: 1,
      runningTurns: 0,
      today: { turns: 1, uncountedTurns: 0, unpricedTurns: 0, tokens: { input: 1_000_000, output: 0 }, cost: 1.25 },
      credentials: ["CURSOR_API_KEY"],
      clients: ["pi"],
      dataDir: data,
    });
  } finally {
    server.close();
  }
});
