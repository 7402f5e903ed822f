import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { firstRun } from "./first-run.ts";
import type { Host } from "./host.ts";

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
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stdout = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 80 });
  let shown = "";
  const left = [...answers];
  stdout.on("data", (text: string) => {
    shown += text;
    if (/(?:leave|\[y\/N\]): ?$|\[y\/N\] $/.test(text)) stdin.write(`${left.shift() ?? ""}\n`);
  });
  const ran: (readonly string[])[] = [];
  const host = {
    ...{ argv: [], env: { PATH: join(home, "bin"), NO_COLOR: "1" }, command: "caret", cwd: home, home },
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
  expect(shown).toContain("  3  caret install opencode  use Caret from opencode\n");
});

it.each([
  [["1"], [["doctor"]]],
  [["3", "y"], [["install", "opencode"]]],
  [["3", "n"], []],
  [["99"], []],
  [["rm"], []],
])("runs what was chosen, and asks again before it writes: %j", async (answers, expected) => {
  expect((await start(...answers)).ran).toEqual(expected);
});
