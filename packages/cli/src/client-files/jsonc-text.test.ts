import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJsonc, removeFromJsonc, setInJsonc } from "./jsonc-text.ts";

const handWritten = `{
  // which model starts
  "model": "caret/auto", // the default
  "provider": {
    "caret": {
      "models": {
        "auto": { "name": "auto" }, /* first */
        "own": { "name": "Mine" } // not from Cursor
      },
    },
  },
}
`;

describe("setInJsonc", () => {
  it("adds behind the last one and leaves every comment beside what it is about", () => {
    expect(setInJsonc(handWritten, ["provider", "caret", "models", "gpt"], { name: "GPT", cost: { input: 1 } })).toBe(
      handWritten.replace(
        `"Mine" } // not from Cursor`,
        `"Mine" }, // not from Cursor
        "gpt": {
          "name": "GPT",
          "cost": {
            "input": 1
          }
        }`,
      ),
    );
  });

  it("keeps trailing commas, makes objects on the way, and keeps a file on one line on one line", () => {
    expect(setInJsonc(handWritten, ["provider", "other", "name"], "Other")).toBe(
      handWritten.replace(`    },\n  },\n}`, `    },\n    "other": {\n      "name": "Other"\n    },\n  },\n}`),
    );
    expect(setInJsonc('{"a": {"b": 1}}', ["a", "c"], [2])).toBe('{"a": {"b": 1, "c": [2]}}');
  });

  it("writes tabs, CRLF and a byte order mark as the file has them", () => {
    expect(setInJsonc('\ufeff{\r\n\t"a": {}\r\n}', ["a", "b"], 1)).toBe(
      '\ufeff{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}',
    );
  });

  it("replaces a value in place", () => {
    expect(setInJsonc(handWritten, ["model"], "caret/own")).toBe(handWritten.replace('"caret/auto"', '"caret/own"'));
  });
});

describe("removeFromJsonc", () => {
  it("takes the comma and the comment beside it along, and no other comment", () => {
    expect(removeFromJsonc(handWritten, ["provider", "caret", "models", "own"])).toBe(
      handWritten.replace(` }, /* first */\n        "own": { "name": "Mine" } // not from Cursor`, " } /* first */"),
    );
    expect(removeFromJsonc('{"a": 1, "b": 2}', ["a"])).toBe('{"b": 2}');
    expect(removeFromJsonc('{"a": 1, "b": 2}', ["b"])).toBe('{"a": 1}');
    expect(removeFromJsonc(handWritten, ["provider", "nobody"])).toBe(handWritten);
  });
});

it.each(["{ broken", "", '{"a": 1} trailing'])("does not take %j for JSON, and says where it is not", (text) => {
  expect(() => setInJsonc(text, ["a"], 1)).toThrow(/^It is not JSON: (?:.* at line 1, column \d+|it is empty)$/);
});

it("does not put a property into what is no object", () => {
  expect(() => setInJsonc('{"a": [1]}', ["a", "b"], 1)).toThrow("a must be an object");
});

const anyKey = fc.string({ minLength: 1, maxLength: 6 });
const anyObject = fc.dictionary(anyKey, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6, noNullPrototype: true });
const anyIndent = fc.constantFrom("  ", "    ", "\t");

/** Any document, laid out by a person: a comment beside each line, and commas at the end or not. */
function laidOut(value: unknown, indent: string, hasTrailingCommas: boolean, eol: string): string {
  const lines = JSON.stringify(value, undefined, indent).split("\n");
  return lines
    .map((line, index) => {
      const isLast = /^\s*[}\]]/.test(lines[index + 1] ?? "") && !/[{[,]$/.test(line);
      return `${line}${isLast && hasTrailingCommas ? "," : ""}${index > 0 && index < lines.length - 1 ? ` // note ${index}` : ""}`;
    })
    .join(eol);
}

it("sets what was asked for in any document, keeps every comment, and removing it again restores every byte", () => {
  fc.assert(
    fc.property(
      fc.record({
        value: anyObject.filter((object) => Object.keys(object).length > 0),
        key: anyKey,
        added: fc.jsonValue({ maxDepth: 2 }),
        indent: anyIndent,
        commas: fc.boolean(),
        eol: fc.constantFrom("\n", "\r\n"),
      }),
      ({ value, key, added, indent, commas, eol }) => {
        fc.pre(!Object.hasOwn(value, key) && key !== "__proto__");
        const text = laidOut(value, indent, commas, eol);
        const changed = setInJsonc(text, [key], added);
        // Through JSON, because it has no negative zero.
        expect(parseJsonc(changed)).toEqual(JSON.parse(JSON.stringify({ ...value, [key]: added })));
        expect(changed.match(/\/\/ note \d+/g)).toEqual(text.match(/\/\/ note \d+/g));
        expect(removeFromJsonc(changed, [key])).toBe(text);
      },
    ),
  );
});
