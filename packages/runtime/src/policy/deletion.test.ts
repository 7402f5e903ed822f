import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPolicy } from "./policy.ts";
import { policyModes } from "./policy-mode.ts";

let workspace: string;

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "deletion-")));
  execFileSync("git", ["init", "-q", workspace]);
  mkdirSync(join(workspace, "src"));
  mkdirSync(join(workspace, "empty"));
  for (const name of ["src/a.ts", "src/b.ts"]) writeFileSync(join(workspace, name), name);
  execFileSync("git", ["-C", workspace, "add", "-A"]);
  writeFileSync(join(workspace, "src/b.ts"), "hours of work");
  writeFileSync(join(workspace, "draft.md"), "never added");
});
afterEach(() => rmSync(workspace, { recursive: true }));

const decide = (input: object, mode: (typeof policyModes)[number] = "auto-edits") => {
  const policy = createPolicy({ mode, rules: [], workspace, attended: true, newRequestId: () => "r1" });
  const { effect, danger } = policy.decide({ tool: "rm", kind: "write", input }, () => "no repository");
  return { effect, danger };
};

describe("deleting", () => {
  it("a directory with all that is in it is asked about in every mode but full", () => {
    const effects = policyModes.map((mode) => decide({ path: "src", recursive: true }, mode).effect);
    expect({ effects, why: decide({ path: "src", recursive: true }).danger }).toEqual({
      effects: ["ask", "ask", "ask", "allow"],
      why: "src is deleted with everything in it",
    });
  });

  it.each<[string, object, string]>([
    ["a file that was never added", { path: "draft.md" }, "draft.md is deleted, and git cannot give it back as it is"],
    ["a file that was changed", { path: "src/b.ts" }, "src/b.ts is deleted, and git cannot give it back as it is"],
    ["the workspace", { path: ".", recursive: true }, "the workspace is deleted with everything in it"],
    ["git's directory", { path: ".git", recursive: true }, ".git decides what is run"],
    ["a file outside", { path: "../x" }, `${join(tmpdir(), "x")} is not known to be in the workspace`],
  ])("%s is dangerous", (_what, input, danger) => {
    expect(decide(input)).toEqual({ effect: "ask", danger });
  });

  it.each<[string, object]>([
    ["a file that git has as it is", { path: "src/a.ts" }],
    ["an empty directory", { path: "empty" }],
    ["what is not there", { path: "nothing" }],
  ])("%s is a change like any other", (_what, input) => {
    expect(decide(input)).toEqual({ effect: "allow", danger: undefined });
  });
});
