import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { barSize } from "../../testing/bar-size.ts";
import { toExpression } from "./search-pattern.ts";

const lines = [
  ...[
    "foo",
    "  foo [x]",
    "\tindent",
    "Az",
    "foo]",
    "x=1",
    "é x",
    "привет мир",
    "a-b",
    "f(x) {",
    "a.b",
    "a\\b",
    "",
    "FOO",
  ],
  ...["αβγ", "café", "a_b", "[[", "end}", "a|b", "$5^", "tab\there", "foo.bar()", "-n", "a+b", "#!", "\u2028z", "a\rb"],
];

/** The matching lines, or why there are none. */
function found(pattern: string, ignoresCase = false): readonly string[] | string {
  try {
    const expression = toExpression(pattern, { ignoresCase, isMultiline: false });
    const regExp = new RegExp(expression.pattern, expression.flags);
    return lines.filter((line) => regExp.test(line));
  } catch (reason) {
    return (reason as Error).message;
  }
}

/** A refusal must not look like a search without results. */
function linesOf(answer: readonly string[] | string): readonly string[] {
  return typeof answer === "string" ? ["refused"] : answer;
}

/** The result of GNU grep's PCRE engine, whose classes know all letters with `(*UCP)`. */
function byGrep(pattern: string): readonly string[] | "refused" {
  const { stdout, status } = spawnSync("grep", ["-P", "-e", `(*UCP)${pattern}`], {
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
    env: { LC_ALL: "C.UTF-8" },
  });
  return status === 2 ? "refused" : stdout.split("\n").slice(0, -1);
}

const hasPcre = spawnSync("grep", ["-P", "(*UCP)a"], { input: "a\n" }).status === 0;

describe.runIf(hasPcre)("a pattern in ripgrep's syntax", () => {
  const classPart = fc.constantFrom(
    ...["a", "b", "o", "x", "a-c", "0-9", "\\w", "\\d", "\\s", "\\S", "\\-", "\\]", "\\.", ".", "(", ")", "{", "}"],
    ...[
      "[:alpha:]",
      "[:^alpha:]",
      "[:space:]",
      "[:punct:]",
      "[:upper:]",
      "[:xdigit:]",
      "\\pL",
      "\\p{Lu}",
      "é",
      "|",
      "$",
    ],
  );
  const classes = fc
    .tuple(
      fc.constantFrom("", "^", "]", "^]"),
      fc.array(classPart, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "-"),
    )
    .map(([start, parts, end]) => `[${start}${parts.join("")}${end}]`);
  const atom = fc.oneof(
    classes,
    fc.constantFrom(
      ...[
        "f",
        "o",
        "foo",
        "b",
        "x",
        "é",
        " ",
        "-",
        "=",
        "#",
        "}",
        "]",
        "\\(",
        "\\)",
        "\\[",
        "\\{",
        "\\.",
        "\\-",
        "\\_",
        "\\#",
      ],
      ...[
        "\\/",
        "\\|",
        "\\$",
        "\\\\",
        "\\t",
        "\\x62",
        "\\x{62}",
        ".",
        "\\w",
        "\\W",
        "\\d",
        "\\s",
        "\\S",
        "\\pL",
        "\\PL",
      ],
      ...["\\p{Greek}", "\\p{^L}", "\\b", "\\B", "^", "$", "\\A", "\\z", "(?i:FOO)", "(?P<one>o)", "(?:a|b)", "(x)"],
    ),
  );
  const count = fc.constantFrom("", "", "", "*", "+", "?", "{1,2}", "{2}", "+?");
  const piece = fc.tuple(atom, count).map(([one, times]) => (/^(?:\^|\$|\\[bBAz])$/.test(one) ? one : one + times));
  const pattern = fc
    .array(
      fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
      { minLength: 1, maxLength: 2 },
    )
    .map((alternatives) => alternatives.join("|"));

  it("finds what an engine finds that reads it as it stands", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(pattern, (written) => {
        // Two groups of one name, and what POSIX reserves: grep refuses them.
        fc.pre(written.split("(?P<one>").length < 3 && !written.includes("[."));
        // There the classes of POSIX know all letters as well.
        const isKnown = (line: string): boolean => !written.includes("[:") || /^\p{ASCII}*$/u.test(line);
        expect(linesOf(found(written)).filter(isKnown)).toEqual(linesOf(byGrep(written)).filter(isKnown));
      }),
      { numRuns: barSize({ quick: 30, full: 2_000 }) },
    );
  });
});

it("what only ripgrep has is read as it has it", () => {
  const read = [
    "\\<foo\\>",
    "o\\b{start}",
    "x\\b{end}$",
    "[\\w--[a-z]]{2}",
    "[a-z&&[^fo]]b",
    "f(x) {",
    "a{,2}z",
    "(?i)az",
  ];
  expect(read.map((written) => [written, found(written)])).toEqual([
    ["\\<foo\\>", ["foo", "  foo [x]", "foo]", "foo.bar()"]],
    ["o\\b{start}", []],
    ["x\\b{end}$", ["é x"]],
    ["[\\w--[a-z]]{2}", ["привет мир", "FOO", "αβγ"]],
    ["[a-z&&[^fo]]b", ["tab\there"]],
    ["f(x) {", []],
    ["a{,2}z", ["Az", "\u2028z"]],
    ["(?i)az", ["Az"]],
  ]);
  expect(found("f\\(x\\) {")).toEqual(["f(x) {"]);
  expect(found("az", true)).toEqual(["Az"]);
});

it("what cannot be read is refused, and is never read as something else", () => {
  const refused = [
    "\\h",
    "\\Qfoo\\E",
    "\\y",
    "(?x) f",
    "(?U)a",
    "(?#a)",
    "(",
    "foo)",
    "[",
    "[z-a]",
    "[[:nothing:]]",
    "\\p{Nothing}",
  ];
  const more = ["*", "a**", "[a~~b]", "[a\\b]", "\\x{110000}", "a\\nb", "a\nb", "foo(?i)bar", "[a-\\w]", "\\"];
  for (const written of [...refused, ...more])
    expect([written, found(written)]).toEqual([written, expect.stringContaining("is not a regular expression")]);
});

it("in a search over several lines a dot takes line feeds, and lines begin and end at them alone", () => {
  const matches = (pattern: string, text: string): readonly string[] => {
    const expression = toExpression(pattern, { ignoresCase: false, isMultiline: true });
    return text.match(new RegExp(expression.pattern, `${expression.flags}g`)) ?? [];
  };
  expect([
    matches("a.b", "a\nb"),
    matches("(?-s)a.b", "a\nb a.b"),
    matches("(?-s:a.)b", "a\nb axb"),
    matches("^b$", "a\nb\nc"),
    matches("^b", "a\rb"),
    matches("\\Aa|c\\z", "a\na\nc\nc"),
  ]).toEqual([["a\nb"], ["a.b"], ["axb"], ["b"], [], ["a", "c"]]);
});
