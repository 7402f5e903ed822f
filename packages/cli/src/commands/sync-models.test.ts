import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addSyncModelsCommand } from "./sync-models.ts";
import { type Tried, tryCommand } from "./testing/try-command.ts";

let directory: string;
let file: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-sync-models-")));
  mkdirSync(join(directory, ".config", "opencode"), { recursive: true });
  file = join(directory, ".config", "opencode", "opencode.json");
});
afterAll(() => rmSync(directory, { recursive: true }));

function sync(...argv: readonly string[]): Promise<Tried> {
  const env = { CARET_DATA_DIR: join(directory, "data"), CARET_LANE: "sim", PATH: process.env["PATH"] ?? "" };
  return tryCommand(addSyncModelsCommand, ["sync-models", ...argv], { cwd: directory, env });
}

it("names the command that makes Caret a provider when it is none anywhere", async () => {
  await expect(sync()).rejects.toMatchObject({
    code: "invalid-config",
    message: "Caret is no provider in the settings of any client that lists models",
    fix: "Run `caret install opencode`, then this again.",
  });
});

it("finds OpenCode's file, says what it did to it, and has nothing to do again", async () => {
  writeFileSync(file, `{"provider": {"caret": {"models": {"mine": {}}}}}\n`);
  const preview = await sync("--dry-run", "--variants");
  expect(preview.stdout).toMatch(
    new RegExp(
      `^opencode: ${file} \\(would change\\)\\n {2}added \\d+, updated 0, removed 0, priced \\d+, skipped 1\\n {2}kept mine: not listed by Cursor\\n$`,
    ),
  );
  expect(readFileSync(file, "utf8")).toBe(`{"provider": {"caret": {"models": {"mine": {}}}}}\n`);
  await sync("--variants");
  const [again] = JSON.parse((await sync("--compact", "--json", "--config", file)).stdout).clients;
  expect(again).toMatchObject({ client: "opencode", file, changed: false, added: [], updated: [], removed: [] });
});
