import { assertWellFormedTurn } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { barSize } from "../testing/bar-size.ts";
import { createDecoder } from "./decoder.ts";
import { contractFixture, noisyFixture, partialFixture, payloadFixture, plainFixture } from "./testing/fixtures.ts";

const LINES = barSize({ quick: 50_000, full: 1_000_000 });
const LINES_PER_TURN = 500;
const seeds = [partialFixture, plainFixture, noisyFixture, contractFixture, payloadFixture];
const corpus = seeds.flatMap((bytes) => bytes.toString("utf8").split("\n"));
const dialects = ["stream-json", "contract", "payload", "auto"] as const;
const hostile = ["null", "-1", "1e999", '""', "[]", "{}", "true", '"\\ud800"', '{"__proto__":1}', "[[[[]]]]", '"x"'];

/** A small, seeded generator: a failure is repeated by its seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Random = ReturnType<typeof createRandom>;

const mutations: readonly ((line: string, random: Random) => string)[] = [
  (line) => line,
  (line, random) => line.slice(0, random(line.length + 1)),
  (line, random) => line.slice(random(line.length + 1)),
  (line, random) => flip(line, random),
  (line, random) => replaceValue(line, random),
  (line, random) => line + (corpus[random(corpus.length)] ?? ""),
  (_line, random) => String.fromCharCode(...Array.from({ length: random(40) }, () => random(0x2fff))),
  (line, random) =>
    line.replace(/"[a-z_A-Z]+":/, `"${["type", "subtype", "payload", "data", "tool_call"][random(5)]}":`),
];

function flip(line: string, random: Random): string {
  const at = random(line.length + 1);
  return line.slice(0, at) + String.fromCharCode(random(128)) + line.slice(at + 1);
}

/** Put a value of another type where some value stood. */
function replaceValue(line: string, random: Random): string {
  const values = [...line.matchAll(/:("(?:[^"\\]|\\.)*"|\d+|true|false|null)/g)];
  const value = values[random(values.length)];
  if (value === undefined) return line;
  const start = value.index + 1;
  return line.slice(0, start) + (hostile[random(hostile.length)] ?? "") + line.slice(value.index + value[0].length);
}

describe(`${LINES} random, mutated or truncated lines`, () => {
  it("never crash, and every turn of them ends well formed", { timeout: 120_000 }, () => {
    const random = createRandom(20_261_115);
    const outcomes: Record<string, number> = {};
    for (let turn = 0; turn < LINES / LINES_PER_TURN; turn += 1) {
      const decoder = createDecoder({ dialect: dialects[turn % dialects.length] ?? "auto", partial: turn % 3 !== 0 });
      const lines = Array.from({ length: LINES_PER_TURN }, () =>
        (mutations[random(mutations.length)] ?? String)(corpus[random(corpus.length)] ?? "", random),
      );
      const decoded = [...decoder.push(Buffer.from(lines.join("\n"))), ...decoder.finish({ kind: "end-of-stream" })];
      const events = decoded.map(({ event }) => event);
      const last = events.at(-1);
      if (last?.type !== "turn-end") throw new Error(`Turn ${turn} did not end`);
      outcomes[last.outcome.kind] = (outcomes[last.outcome.kind] ?? 0) + 1;
      if (turn % 20 === 0) assertWellFormedTurn([{ type: "turn-start", turnId: "t", lane: "cli" }, ...events]);
    }
    expect(Object.keys(outcomes).toSorted()).toEqual(["completed", "failed"]);
  });
});
