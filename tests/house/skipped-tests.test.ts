import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fullOnly } from "../projects/full-only.ts";
import { root } from "./lint-planted.ts";

/** What `npm test` leaves to `npm run test:full`; `isShownHere` of loops-light is true there at every door. */
const ofFullRun =
  /^(?:hasBubblewrap && )?isFullRun\(\)(?: \|\| .+)?$|^isSlow === undefined \|\| isFullRun\(\)$|^isShownHere$/;

/** What a machine may lack, by the condition that finds it out. On one that has them all, only longer proofs are skipped. */
const ofTheMachine: Readonly<Record<string, string>> = {
  "lacksChromium()": "Chromium",
  "!hasBubblewrap": "bubblewrap, or user namespaces for it",
  'containment.kind === "bubblewrap"': "the same",
  'real.kind === "none"': "the same",
  "!canTry": "bubblewrap and a C compiler",
  "!hasCompiler()": "a C compiler",
  hasTmux: "tmux",
  "!canTrace": "strace",
  "!canStandIn()": "bubblewrap for root, tini, setpriv and nsenter",
  '!hasShell("fish")': "fish",
  '!hasShell("zsh")': "zsh",
  "!canInject": "strace that may inject faults",
  "!canRun": "curl and jq",
  "!canLeave": "a PID namespace of its own",
  hasGnuGrep: "GNU grep",
  hasPcre: "GNU grep with -P",
  isRoot: "root, who may give files to others",
  'existsSync("/proc/self/status")': "/proc",
  'existsSync("/bin/bash")': "bash",
  'bootId === ""': "the id of the boot in /proc",
  "existsSync(captures)": "recordings of the real CLI, which are never committed",
  "!existsSync(capture)": "the same",
  "!existsSync(recording)": "the same",
  "names.length > 0": "the same",
};

/** This file and the one that plants marks are about marks; they skip nothing. */
const own = "tests/house/skipped-tests.test.ts";
const files = globSync(["packages/*/src/**/*.{test,contract}.ts", "tests/**/*.ts", "bench/**/*.test.ts"], { cwd: root })
  .filter((path) => path !== own)
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

const conditions = files.flatMap(({ path, text }) =>
  Array.from(text.matchAll(/\.(?:skipIf|runIf)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g), ([, condition = ""]) => ({
    path,
    condition,
  })),
);

it("every test that may be skipped is one of test:full, or says which program or right the machine lacks", () => {
  expect(conditions.filter(({ condition }) => !ofFullRun.test(condition) && !(condition in ofTheMachine))).toEqual([]);
});

it("no reason to skip a test is listed that no test has", () => {
  const used = new Set(conditions.map(({ condition }) => condition));
  expect(Object.keys(ofTheMachine).filter((condition) => !used.has(condition))).toEqual([]);
});

/** The ways to leave out a test, or all others, without a condition: chained, as an option, and from within. */
const marks: readonly RegExp[] = [
  /\b(?:it|test|describe|suite|bench)(?:\.\w+|\.each\([^)]*\))*\.(?:skip|only|todo|fails)\b/,
  /\)\s*\.(?:skip|only|todo|fails)\s*\(/,
  /\{[^{}]*\b(?:skip|only|todo|fails): ?true\b/,
  /\b(?:context|ctx|t|task)\.skip\(|\(\{[^}]*\bskip\b[^}]*\}\) =>/,
  /\bx(?:it|test|describe)\(/,
];
const isMarked = (text: string): boolean => marks.some((mark) => mark.test(text));

it("no test is skipped without a condition, or alone in its file", () => {
  expect(files.filter(({ text }) => isMarked(text)).map(({ path }) => path)).toEqual([]);
});

it.each([
  'it.skip("x", () => {})',
  'describe.only("x", () => {})',
  'it.each([1]).skip("x", () => {})',
  'it.concurrent.only("x", () => {})',
  'test.todo("x")',
  'it("x", { skip: true }, () => {})',
  'it("x", { timeout: 5, only: true }, () => {})',
  'it("x", (context) => context.skip())',
  'it("x", ({ skip }) => skip())',
  'it.fails("x", () => {})',
  'xit("x", () => {})',
])("sees the mark of %s", (text) => {
  expect(isMarked(text)).toBe(true);
});

describe("what only `npm run test:full` runs", () => {
  const decision = readFileSync(join(root, "docs/decisions/0029-test-files-share-their-workers.md"), "utf8");

  it.each(fullOnly)("%s exists, and a row of decision 29 says what `npm test` has instead", (path) => {
    const name = /([\w-]+)(?:\.process)?\.test\.ts$/.exec(path)?.[1] ?? path;
    const row = decision.split("\n").find((line) => line.startsWith("| ") && new RegExp(`\\b${name}\\b`).test(line));
    expect({ exists: existsSync(join(root, path)), instead: row?.split(" | ")[1]?.replace(/ \|$/, "") }).toEqual({
      exists: true,
      instead: expect.stringMatching(/\w{3}/),
    });
  });
});
