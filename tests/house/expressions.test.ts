import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { arguedExpressions, composedExpressions } from "./expressions/argued-expressions.ts";
import { collectExpressions, type Expression, shippedSources } from "./expressions/collect-expressions.ts";
import { findGrowth } from "./expressions/find-growth.ts";

/** The simulator stands in for Cursor in tests: what stops it stops a test. */
const files = shippedSources().filter((file) => !file.startsWith("packages/simulator/"));

const growing = (expressions: readonly Expression[]): readonly Expression[] =>
  expressions.filter(({ source, flags }) => findGrowth(source, flags) !== undefined);

describe("the regular expressions of the sources", { timeout: 240_000 }, () => {
  const { written, composed, hidden } = collectExpressions(files);
  const superLinear = growing(written);
  const isArgued = ({ source, at }: Expression): boolean =>
    arguedExpressions.some((argued) => at.startsWith(`${argued.file}:`) && source.startsWith(argued.source));

  it("take linear time, but for those of which it is argued why", () => {
    expect(written.length).toBeGreaterThan(700);
    expect(superLinear.filter((expression) => !isArgued(expression))).toEqual([]);
  });

  it("are argued about only where there is such an expression", () => {
    const unneeded = arguedExpressions.filter(
      ({ file, source }) =>
        !superLinear.some((each) => each.at.startsWith(`${file}:`) && each.source.startsWith(source)),
    );
    expect(unneeded).toEqual([]);
  });

  it("are listed where they are composed only when they run, and what they look like takes linear time", () => {
    const places = [...new Set(composed.map((at) => at.replace(/:\d+$/, "")))];
    expect(places.toSorted()).toEqual(composedExpressions.map(({ file }) => file).toSorted());
    const examples = composedExpressions.flatMap(({ file, examples = [] }) =>
      examples.map((example) => ({ ...example, at: file })),
    );
    expect(growing(examples)).toEqual([]);
  });

  it("are never strings that JavaScript makes expressions of in silence", () => {
    expect(hidden).toEqual([]);
  });
});

describe("collecting the expressions", () => {
  it("finds literals, composed ones, and strings that become one", () => {
    const root = plant({
      "a.ts":
        'export const own = /a+b/g;\nconst part = String.raw`\\s+`;\nexport const made = new RegExp(part + "$", "i");\n',
      "b.ts": 'export const later = (part: string): RegExp => RegExp(part);\nexport const found = "x".match("a+");\n',
    });
    expect(collectExpressions(["a.ts", "b.ts"], root)).toEqual({
      written: [
        { source: "a+b", flags: "g", at: "a.ts:1" },
        { source: "\\s+$", flags: "i", at: "a.ts:3" },
      ],
      composed: ["b.ts:1"],
      hidden: ["b.ts:2"],
    });
  });
});

describe("judging an expression", () => {
  it.each<[string, string?]>([
    ["(a+)+$"],
    ["^(?:a|a)*$"],
    ["(?:a*)*b"],
    ["\\/+$"],
    ["\\s+$", "m"],
    ["_session_(.+)$"],
    ["<([a-z][\\w.-]*)\\b([^<>\\n]*)>"],
    ["^## \\S+\\.\\.\\.\\S+(?: \\[[^\\]]*\\])?$"],
    ['^\\s*hookspath\\s*=\\s*"?([^"\\n]+?)"?\\s*$', "gim"],
    ["(?<=.)[. ]+$"],
    ["<user_query>([\\s\\S]*)<\\/user_query>"],
    ["(\\.\\.\\.|…)\\s*\\(?\\s*(existing|rest)"],
    ["a(?![\\s\\S]*b)c"],
    ["\\[[^\\]]+\\]|.", "g"],
    ["[*_]{1000}"],
    ["a[^.]{0,60}b[^.]{0,60}c"],
    ["(?<=^a+)b"],
    ["(.+)-\\1"],
  ])("finds what takes more than linear time: /%s/%s", (source, flags = "") => {
    expect(findGrowth(source, flags)).toMatchObject({
      kind: expect.stringMatching(/^(?:exponential|polynomial|bounded|unknown)$/),
    });
  });

  it.each<[string, string?]>([
    ["\\s+", "g"],
    ["^\\s*a"],
    ["^\\/(\\S*)\\s*([\\s\\S]*)$"],
    ["[\\w-]+$", "y"],
    ["(?<![\\w-])[\\w-]+=", "g"],
    ['"(?:[^"\\\\]|\\\\.)*"?', "g"],
    ["\\[[^[\\]=]*=[^[\\]]*\\]$"],
    ["a{2,4}b"],
    ["(?<![A-Za-z0-9])sk-[\\w-]{20,}", "g"],
    ["(?:;|[^;a]+)*", "g"],
    ["x(?=[a-z]{1,5}y)"],
  ])("leaves alone what takes linear time: /%s/%s", (source, flags = "") => {
    expect(findGrowth(source, flags)).toBeUndefined();
  });
});

function plant(contents: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "expressions-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
