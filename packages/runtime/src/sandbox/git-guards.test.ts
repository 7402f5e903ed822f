import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gitGuards } from "./git-guards.ts";

let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "caret-guards-")));
  mkdirSync(join(workspace, ".git"));
});
afterEach(() => rmSync(workspace, { recursive: true }));

/** What is sealed in the workspace outside of `.git`, where git is configured so. */
function sealedBy(config: string): readonly string[] {
  writeFileSync(join(workspace, ".git", "config"), config);
  const paths = gitGuards(workspace).sealed.map(({ path }) => path.slice(workspace.length + 1));
  return paths.filter((path) => !path.startsWith(".git/"));
}

it("seals the hooks and the files that the configuration names, in quotes or without", () => {
  const config =
    '[core]\n\thooksPath = .husky \n[include]\n\tpath = "../shared config"\r\n\tpath = ../../elsewhere\n\tpath =\n';
  expect(sealedBy(config)).toEqual([".husky", "shared config"]);
});

it("comes to an end with a configuration made to take long", () => {
  const tabs = "\t".repeat(2_000);
  expect(sealedBy(`${"\n".repeat(2_000)}path=${tabs}path=${tabs}"p"\n`)).toEqual([]);
});
