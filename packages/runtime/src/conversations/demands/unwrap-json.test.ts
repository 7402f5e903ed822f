import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrapJson } from "./unwrap-json.ts";

/** An object whose strings contain everything that would look like structure. */
const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("```", "```\n", "}", '"', "\\", "{", "[1]", "\n"));
const value = fc.oneof(fc.dictionary(fc.string(), fc.oneof(text, fc.jsonValue())), fc.array(fc.record({ a: text })));
const words = fc.constantFrom(
  "I'll look at the file first.",
  "Here it is:",
  "It's in `src/{a,b}.ts` [1].",
  "Done (really).",
);

describe("the JSON in an agent's answer", () => {
  it("is found alone, in a fence, and behind words, and given as it stands", () => {
    fc.assert(
      fc.property(
        value,
        fc.constantFrom(0, 2),
        fc.constantFrom("", "json", "JSON", "jsonc"),
        words,
        (one, indent, info, said) => {
          const json = JSON.stringify(one, undefined, indent);
          const ways = {
            alone: json,
            spaced: `\n\ufeff ${json}\n`,
            fenced: `\`\`\`${info}\n${json}\n\`\`\``,
            "fenced behind words": `${said}\n\n\`\`\`${info}\n${json}\n\`\`\``,
            "fenced before words": `\`\`\`${info}\n${json}\n\`\`\`\n\n${said}`,
            "in a fence that is not closed": `\`\`\`${info}\n${json}`,
            "behind words": `${said}\n\n${json}`,
          };
          const found = Object.fromEntries(Object.entries(ways).map(([way, whole]) => [way, unwrapJson(whole)?.text]));
          expect(found).toEqual(Object.fromEntries(Object.keys(ways).map((way) => [way, json])));
        },
      ),
    );
  });

  it.each([
    ["is none in prose", "Her name is Ada, see [1]."],
    ["is none when it is broken", '{"name": "Ada"'],
    ["is none when there are two", '{"a":1}\n\n{"a":2}'],
    ["is none when two fences hold one each", "```json\n1\n```\n```json\n2\n```"],
    ["is none in the middle of words", 'The answer {"a":1} is a guess.'],
  ])("%s", (_what, said) => {
    expect(unwrapJson(said)).toBeUndefined();
  });

  it.each(["[", "{", "`", "```", "``` ", "```\n", '"', "{}", "[1] ", "\n[", "`a", '{"a":', "\\", "```json"])(
    "is looked for in linear time in a text full of %j",
    (piece) => {
      const started = performance.now();
      for (const said of [piece.repeat(50_000), `\`\`\`${piece.repeat(50_000)}`, `${" ".repeat(200_000)}${piece}x`])
        unwrapJson(said);
      unwrapJson(`\`\`\`${" ".repeat(200_000)}x\n1\n\`\`\``);
      expect(performance.now() - started).toBeLessThan(5_000);
    },
  );
});
