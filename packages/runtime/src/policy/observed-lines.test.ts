import { existsSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { barSize } from "../testing/bar-size.ts";
import { createSessionGrants } from "./grants/session-grants.ts";
import { createPolicy } from "./policy.ts";
import type { PolicyMode } from "./policy-mode.ts";
import type { PolicyCall, PolicyRule } from "./policy-parts.ts";
import { hostileLine } from "./testing/hostile-lines.ts";
import { type ObservedLine, observeLines } from "./testing/observe-lines.ts";

/** Lines run per start of a shell. */
const BATCH = 250;
const LINES = barSize({ quick: 150, full: 20_000 });
const builtins: readonly PolicyRule[] = [
  "echo",
  ":",
  "true",
  "[",
  "printf",
  "cd",
  "chdir",
  "pushd",
  "unset",
  "wait",
  "jobs",
].map((command) => ({ effect: "allow", command }));
const known: readonly PolicyRule[] = [
  ...builtins,
  ...["git status", "ls"].map((command) => ({ effect: "allow", command }) as const),
];

function decide(command: string, mode: PolicyMode, rules: readonly PolicyRule[]) {
  const call: PolicyCall = { tool: "exec", kind: "shell", input: { command } };
  const policy = createPolicy({
    mode,
    rules,
    workspace: "/nowhere/workspace",
    attended: true,
    newRequestId: () => "r",
  });
  return { call, decision: policy.decide(call) };
}
const allows = (command: string, mode: PolicyMode, rules: readonly PolicyRule[]): boolean =>
  decide(command, mode, rules).decision.effect === "allow";

/** A person has allowed exactly `git status` and exactly `ls` for the session. */
function isGranted(command: string): boolean {
  const grants = createSessionGrants({ newId: () => "g", now: () => 0 });
  for (const words of [["git", "status"], ["ls"]]) grants.add({ kind: "command", words, more: false, directory: "." });
  const { call, decision } = decide(command, "supervised", builtins);
  return decision.effect === "ask" && grants.use({ call, decision }) !== undefined;
}

type Judge = readonly [(line: string) => boolean, (observed: ObservedLine) => boolean];
const only =
  (isAllowed: (words: string) => boolean) =>
  ({ started, wroteOutside }: ObservedLine): boolean =>
    !wroteOutside &&
    started.every(({ words, isGenuine, isUnchanged }) => isGenuine && isUnchanged && isAllowed(words.join(" ")));
/** Policies that allow a line, and what the line must then not have done. */
const judges: Readonly<Record<string, Judge>> = {
  "a rule": [(line) => allows(line, "supervised", known), only((words) => /^(git status|ls)( |$)/.test(words))],
  "a grant": [isGranted, only((words) => words === "git status" || words === "ls")],
  auto: [
    (line) => allows(line, "auto", []),
    ({ started, wroteOutside }) =>
      !wroteOutside && started.every(({ words, isGenuine }) => isGenuine && !/^(rm|git push)/.test(words.join(" "))),
  ],
  "a rule that denies `rm`": [
    (line) => allows(line, "full", [{ effect: "deny", command: "rm" }]),
    ({ started }) => started.every(({ words }) => words[0] !== "rm"),
  ],
};

const shells = ["/bin/bash", "/bin/dash"].filter((shell) => existsSync(shell));

describe.runIf(existsSync("/bin/bash"))("a line that is allowed unasked", () => {
  it.each(shells)(
    "does nothing else than it was allowed for when %s runs it",
    (shell) => {
      const lines = [...new Set(fc.sample(hostileLine, { numRuns: LINES }))];
      const judged = lines.map((line) => ({ line, by: Object.keys(judges).filter((by) => judges[by]?.[0](line)) }));
      const allowed = judged.filter(({ by }) => by.length > 0);
      const wrong: unknown[] = [];
      for (let at = 0; at < allowed.length; at += BATCH) {
        const batch = allowed.slice(at, at + BATCH);
        const observed = observeLines(
          shell,
          batch.map(({ line }) => line),
        );
        for (const [index, { line, by }] of batch.entries()) {
          const done = observed[index];
          const broken = by.filter((each) => done !== undefined && judges[each]?.[1](done) !== true);
          if (broken.length > 0) wrong.push({ line, broken, done });
        }
      }
      expect(wrong).toEqual([]);
      expect(allowed.length).toBeGreaterThan(lines.length / 20);
    },
    3_600_000,
  );
});
