import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Host } from "../host/host.ts";
import { firstRun } from "./first-run.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "caret-first-")));
  mkdirSync(join(home, "bin"));
  for (const name of ["opencode", "agent"]) {
    writeFileSync(join(home, "bin", name), "#!/bin/sh\n");
    chmodSync(join(home, "bin", name), 0o700);
  }
});
afterEach(() => rmSync(home, { recursive: true }));

/** Types each answer when it is asked for. */
async function start(...answers: readonly string[]) {
  return await startIn(80, answers);
}

async function startIn(columns: number, answers: readonly string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stdout = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns });
  let shown = "";
  const left = [...answers];
  stdout.on("data", (text: string) => {
    shown += text;
    if (/(?:leave|\[y\/N\]): ?$|\[y\/N\] $/.test(text)) stdin.write(`${left.shift() ?? ""}\n`);
  });
  const ran: (readonly string[])[] = [];
  const host = {
    ...{
      argv: [],
      env: { PATH: join(home, "bin"), NO_COLOR: "1", CARET_DATA_DIR: join(home, "data") },
      command: "caret",
      cwd: home,
      home,
    },
    ...{ platform: process.platform, uid: process.getuid?.(), stdin, stdout, stderr: new PassThrough() },
    onSignal: () => () => undefined,
  } as Host;
  const code = await firstRun(host, async (argv) => {
    ran.push(argv);
    return 0;
  });
  return { code, ran, shown };
}

it("greets, says what is there, offers what fits this machine, and does nothing unasked", async () => {
  const { code, ran, shown } = await start("");
  expect({ code, ran, files: readdirSync(home) }).toEqual({ code: 0, ran: [], files: ["bin"] });
  expect(shown).toContain(`✓ ${home}/bin/agent\n! no gateway runs\n`);
  expect(shown).toContain("  4  caret install opencode  use Caret from opencode\n");
});

it.each([
  [["1"], [["doctor"]]],
  [["2"], [["chat"]]],
  [["4", "y"], [["install", "opencode"]]],
  [["4", "n"], []],
  [["99"], []],
  [["rm"], []],
])("runs what was chosen, and asks again before it writes: %j", async (answers, expected) => {
  expect((await start(...answers)).ran).toEqual(expected);
});

it("opens the chat for who has had a session already", async () => {
  mkdirSync(join(home, "data"));
  writeFileSync(join(home, "data", "caret.db"), "");
  expect(await start()).toEqual({ code: 0, ran: [["chat"]], shown: "" });
});

it("breaks its lines between words in a narrow terminal", async () => {
  const { shown } = await startIn(40, [""]);
  const lines = shown.split("\n");
  expect(lines.filter((line) => line.length > 40 && !line.includes(home))).toEqual([]);
  expect(shown).toContain("  1  caret doctor            check this\n                             machine,\n");
});
