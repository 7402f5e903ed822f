import { describe, expect, it } from "vitest";
import { growthOf, MOST_LINEAR_GROWTH } from "../testing/growth-of.ts";
import { readCommandLine } from "./read-command-line.ts";

/** Lines that grow with their number, up to the length at which a line is no longer read. */
const shapes: Readonly<Record<string, (count: number) => string>> = {
  commands: (count) => "ls a;".repeat(count),
  "a pipeline": (count) => `ls${"|ls".repeat(count)}`,
  words: (count) => `ls${" a".repeat(count)}`,
  "one word": (count) => `ls ${"ab".repeat(count)}`,
  quotes: (count) => `ls ${"'a'\"b\"".repeat(count)}`,
  blanks: (count) => `ls${" \t".repeat(count)}(`,
  "joined lines": (count) => `ls ${"\\\n ".repeat(count)}`,
  backslashes: (count) => `ls ${"\\".repeat(count)}`,
  redirections: (count) => `ls${" >a".repeat(count)}`,
  "redirections without a target": (count) => "> ".repeat(count),
  substitutions: (count) => `ls${" $(a)".repeat(count)}`,
  backquotes: (count) => `ls${" `a`".repeat(count)}`,
  "nested substitutions": (count) => `${"$(".repeat(count)}ls${")".repeat(count)}`,
  "nested substitutions that do not end": (count) => "ls $(".repeat(count),
  "nested quotes": (count) => '"$('.repeat(count),
  subshells: (count) => `${"(".repeat(count)}ls${")".repeat(count)}`,
  "open parentheses": (count) => "( ".repeat(count),
  "closing parentheses": (count) => ") ".repeat(count),
  groups: (count) => `${"{ ".repeat(count)}ls${"; }".repeat(count)}`,
  conditions: (count) => "if ls; then ".repeat(count),
  loops: (count) => "for f do ".repeat(count),
  "here-documents": (count) => "ls <<E\nE\n".repeat(count),
  "here-documents that do not end": (count) => "ls <<E\n".repeat(count),
  "here-documents of one line": (count) => `ls${" <<E".repeat(count)}\n${"E\n".repeat(count)}`,
  braces: (count) => `ls ${"{a,".repeat(count)}${"}".repeat(count)}`,
  brackets: (count) => `ls ${"[".repeat(count)}`,
  expansions: (count) => `ls ${"${a:-".repeat(count)}`,
  arithmetic: (count) => `ls $((${"(".repeat(count)}`,
  sums: (count) => `ls $((1${"+1".repeat(count)}))`,
  tests: (count) => `[[ ${"( ".repeat(count)} a`,
  comments: (count) => "# a\n".repeat(count),
  functions: (count) => "f() { ".repeat(count),
  cases: (count) => "case a in a) ".repeat(count),
  "extended patterns": (count) => `ls ${"@(".repeat(count)}`,
  "a sum that is a command": (count) => `((1${"+1".repeat(count)}))`,
  "arithmetic that may be commands": (count) => "(( a ) ) ;".repeat(count),
  "arithmetic that does not end": (count) => "ls $((a;".repeat(count),
  errors: (count) => "fi ) ".repeat(count),
};

describe("the time that a line takes", () => {
  it.each(Object.entries(shapes))("grows with its length: %s", (_, shape) => {
    const count = Math.floor((45_000 / (shape(101).length - shape(1).length)) * 100);
    expect(growthOf(Math.floor(count / 10), (size) => readCommandLine(shape(size)))).toBeLessThan(MOST_LINEAR_GROWTH);
  });

  it.each(Object.entries(shapes))("is that of a refusal when it is too long: %s", (_, shape) => {
    expect(readCommandLine(shape(50_001)).opaque).toEqual(["a line that is too long"]);
  });

  it.each([
    "nested substitutions",
    "subshells",
    "groups",
    "conditions",
    "loops",
    "functions",
    "cases",
    "tests",
    "arithmetic",
  ])("does not end in an overflow when it is deep, and such a line is not understood: %s", (name) => {
    expect(readCommandLine(shapes[name]?.(3_000) ?? "").opaque.length).toBeGreaterThan(0);
  });
});
