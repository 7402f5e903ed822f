import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { growthOf, MOST_LINEAR_GROWTH } from "../testing/growth-of.ts";
import { createPolicy } from "./policy.ts";
import type { PolicyCall } from "./policy-parts.ts";

let workspace: string;
beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "by-length-")));
});
afterAll(() => rmSync(workspace, { recursive: true }));

const decide = (call: PolicyCall) =>
  createPolicy({
    mode: "auto",
    rules: [{ effect: "deny", path: "**/secret*" }],
    workspace,
    attended: true,
    newRequestId: () => "r1",
  }).decide(call);

const repeat = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length));
const written = (path: string): PolicyCall => ({ tool: "write", kind: "write", input: { path } });
const run = (command: string): PolicyCall => ({ tool: "shell", kind: "shell", input: { command } });

const hostile: Readonly<Record<string, (length: number) => PolicyCall>> = {
  "a path of many directories": (length) => written(repeat("d/", length)),
  "a path that goes up and down": (length) => written(repeat("d/../", length)),
  "a name of dots and spaces": (length) => written(repeat(". ", length)),
  "many files": (length) => ({
    tool: "edit",
    kind: "edit",
    input: { edits: Array.from({ length: length / 20 }, (_, index) => ({ path: `a${index}` })) },
  }),
  "a command for many files": (length) => run(`rm ${repeat("abcde ", length)}`),
  "many commands": (length) => run(repeat("a;", length)),
  "braces within braces": (length) => run(`cat ${repeat("{a,", length)}${repeat("}", length / 3)}`),
  "many braces": (length) => run(`cat ${repeat("{a,b}", length)}`),
  "many stars": (length) => run(`cat ${repeat("a*", length)}`),
  "many patterns": (length) => run(`cat ${repeat("a* ", length)}`),
  "extended patterns": (length) => run(`cat ${repeat("@(", length)}`),
  "a long sum": (length) => run(`ls $((1${repeat("+1", length)}))`),
  "a long word": (length) => run(`ls ${repeat("ab", length)}`),
  "many directories entered": (length) => run(`${repeat("cd a;", length)}cat b`),
};

it.each(Object.entries(hostile))("a call is judged in time that its length bounds: %s", (_name, callOf) => {
  expect(growthOf(2_000, (length) => void decide(callOf(length)))).toBeLessThan(MOST_LINEAR_GROWTH);
});

it("asks about a pattern in a large workspace, in time that the workspace does not change, and looks at a small one", () => {
  for (const name of ["few", "many"]) mkdirSync(join(workspace, name));
  for (let number = 0; number < 4_000; number += 1) writeFileSync(join(workspace, "many", `f${number}`), "");
  writeFileSync(join(workspace, "few", "secret-1"), "");
  const effects = [
    "cat many/*",
    "cat */*",
    "cat few/s*",
    "cat few/[s]ecret*",
    "cat few/x*",
    "cat few/secret-{3..1}",
    "cat few/x-{a..e}",
    "cat few/secret-{01..3}",
    "cat few/secret-{1..9000000}",
  ].map((line) => decide(run(line)).effect);
  expect(effects).toEqual(["ask", "ask", "deny", "deny", "allow", "deny", "allow", "ask", "ask"]);
});

it("asks about a path that no system could open, and about a call with too many parts", () => {
  const reasons = [
    written(repeat("d/", 8_000)),
    written("n".repeat(300)),
    written(`${"d/".repeat(600)}x`),
    run(`cat ${Array.from({ length: 300 }, (_, index) => `a${index}`).join(" ")}`),
    run("true;".repeat(300)),
  ].map((call) => {
    const { effect, danger = "" } = decide(call);
    return [effect, danger.replace(/^.*(?= is not known)/, "…")];
  });
  expect(reasons).toEqual([
    ["ask", "… is not known to be in the workspace"],
    ["ask", "… is not known to be in the workspace"],
    ["ask", "… is not known to be in the workspace"],
    ["ask", "Caret cannot tell what the command line does: it names more than 250 files"],
    ["ask", "Caret cannot tell what the command line does: it has more than 250 commands"],
  ]);
});
