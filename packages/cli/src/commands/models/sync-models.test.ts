import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addInstallCommand } from "../clients/install.ts";
import { addUninstallCommand } from "../clients/uninstall.ts";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addSyncModelsCommand } from "./sync-models.ts";

let directory: string;
let file: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-sync-models-")));
  mkdirSync(join(directory, ".config", "opencode"), { recursive: true });
  file = join(directory, ".config", "opencode", "opencode.json");
});
afterAll(() => rmSync(directory, { recursive: true }));

const environment = () => ({
  cwd: directory,
  env: { CARET_DATA_DIR: join(directory, "data"), CARET_LANE: "sim", PATH: process.env["PATH"] ?? "" },
});

function sync(...argv: readonly string[]): Promise<Tried> {
  return tryCommand(addSyncModelsCommand, ["sync-models", ...argv], environment());
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

it("takes back with an installation what a sync added to a list for all providers, byte for byte", async () => {
  const yaml = join(directory, ".continue", "config.yaml");
  const text = "name: Mine\nversion: 0.0.1\n# none yet\nmodels: []\n";
  mkdirSync(join(directory, ".continue"));
  writeFileSync(yaml, text);
  await tryCommand(addInstallCommand, ["install", "continue", "--no-test"], environment());
  const [synced] = JSON.parse((await sync("--client", "continue", "--json")).stdout).clients;
  const written = readFileSync(yaml, "utf8");
  await tryCommand(addUninstallCommand, ["uninstall", "continue"], environment());
  expect([synced.changed, written.split("caret_").length - 2, readFileSync(yaml, "utf8")]).toEqual([
    true,
    synced.added.length,
    text,
  ]);
});
