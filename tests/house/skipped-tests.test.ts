import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
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
  isRoot: "root, who may give files to others",
  'existsSync("/proc/self/status")': "/proc",
  'existsSync("/bin/bash")': "bash",
  'bootId === ""': "the id of the boot in /proc",
  "existsSync(captures)": "recordings of the real CLI, which are never committed",
  "!existsSync(capture)": "the same",
  "!existsSync(recording)": "the same",
  "names.length > 0": "the same",
};

const conditions = globSync(["packages/*/src/**/*.{test,contract}.ts", "tests/**/*.ts", "bench/**/*.test.ts"], {
  cwd: root,
}).flatMap((path) => {
  const text = readFileSync(join(root, path), "utf8");
  return Array.from(
    text.matchAll(/\.(?:skipIf|runIf)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g),
    ([, condition = ""]) => ({
      path,
      condition,
    }),
  );
});

it("every test that may be skipped is one of test:full, or says which program or right the machine lacks", () => {
  const unknown = conditions.filter(({ condition }) => !ofFullRun.test(condition) && !(condition in ofTheMachine));
  expect(unknown.filter(({ path }) => path !== "tests/house/skipped-tests.test.ts")).toEqual([]);
});

it("no reason to skip a test is listed that no test has", () => {
  const used = new Set(conditions.map(({ condition }) => condition));
  expect(Object.keys(ofTheMachine).filter((condition) => !used.has(condition))).toEqual([]);
});

it("no test is skipped without a condition, or alone in its file", () => {
  const marked = globSync(["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"], { cwd: root }).filter((path) =>
    /\b(?:it|test|describe)\.(?:skip|only|todo|fails)\b/.test(readFileSync(join(root, path), "utf8")),
  );
  expect(marked.filter((path) => path !== "tests/house/skipped-tests.test.ts")).toEqual([]);
});
