import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AgentEvent, isDelta, isSameBlock } from "@caret/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { barSize } from "../testing/bar-size.ts";
import type { DecoderOptions } from "./decoder.ts";
import { decodeChunks } from "./testing/decode-lines.ts";
import { contractFixture, noisyFixture, partialFixture, payloadFixture, plainFixture } from "./testing/fixtures.ts";
import { delta, flush, init, readsFile, result, retries, thinks } from "./testing/stream-json-lines.ts";

interface Fixture {
  readonly name: string;
  readonly bytes: Buffer;
  readonly options: Partial<DecoderOptions>;
}

/** Recordings of the real CLI lie beside the checkout on some machines; they are read, never kept. */
const captures = fileURLToPath(new URL("../../../../../shared/captures/", import.meta.url));

function recorded(): readonly Fixture[] {
  if (!existsSync(captures)) return [];
  return readdirSync(captures)
    .filter((name) => name.endsWith(".ndjson"))
    .map((name) => ({
      name,
      bytes: readFileSync(`${captures}${name}`),
      options: { dialect: "auto", partial: /partial|2025|edge/.test(name) },
    }));
}

const fixtures: readonly Fixture[] = [
  { name: "partial", bytes: partialFixture, options: { partial: true } },
  { name: "plain", bytes: plainFixture, options: { partial: false } },
  { name: "noisy", bytes: noisyFixture, options: { partial: true } },
  { name: "contract", bytes: contractFixture, options: { dialect: "contract" } },
  { name: "payload", bytes: payloadFixture, options: { dialect: "payload" } },
  { name: "auto", bytes: noisyFixture, options: { dialect: "auto" } },
  ...recorded(),
];

const TOTAL_CUTS = barSize({ quick: 10_000, full: 100_000 });

function cutAt(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...places.toSorted((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

/** One event per stretch of text, however many deltas it came in. */
function joinNeighbours(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const joined: AgentEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (last !== undefined && isDelta(event) && isDelta(last) && isSameBlock(last, event))
      joined.splice(-1, 1, { ...event, text: last.text + event.text });
    else joined.push(event);
  }
  return joined;
}

describe.each(fixtures)("the $name fixture", ({ bytes, options }) => {
  const whole = JSON.stringify(decodeChunks([bytes], options));
  // Small fixtures are cut at every byte; the budget of cuts is shared out over the rest.
  const rounds = Math.ceil(TOTAL_CUTS / fixtures.length / 20);

  it("gives the same events however it is cut", () => {
    const places = fc.array(fc.nat({ max: bytes.length }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(places, (cuts) => JSON.stringify(decodeChunks(cutAt(bytes, cuts), options)) === whole),
      { numRuns: rounds },
    );
  });

  it("gives the same events, however it is cut, when the deltas of a read are joined", () => {
    const places = fc.array(fc.nat({ max: bytes.length }), { minLength: 1, maxLength: 40 });
    const expected = joinNeighbours(decodeChunks([bytes], options));
    fc.assert(
      fc.property(places, (cuts) => {
        const joined = decodeChunks(cutAt(bytes, cuts), { ...options, joinsDeltas: true });
        expect(joinNeighbours(joined)).toEqual(expected);
      }),
      { numRuns: Math.ceil(rounds / 4) },
    );
  });

  it("gives the same events byte by byte", () => {
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(JSON.stringify(decodeChunks(single, options))).toBe(whole);
  });
});

/** Texts over few letters, so one is often the recap of others, or repeats what was said before a retry. */
const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 0, maxLength: 3 });
const lines: fc.Arbitrary<readonly object[]> = fc.oneof(
  { weight: 8, arbitrary: word.map((text) => [delta(text)]) },
  { weight: 2, arbitrary: word.map((text) => [thinks(text)]) },
  { weight: 1, arbitrary: word.map((text) => [flush(text)]) },
  { weight: 1, arbitrary: fc.constant([retries()]) },
  { weight: 1, arbitrary: fc.constant(readsFile()) },
);

it("gives the same text whether the deltas of a read are joined or not, also where a text is told again", () => {
  const property = fc.property(fc.array(lines, { maxLength: 40 }), (written) => {
    const each = [init, ...written.flat(), result("")].map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
    const read = (chunks: readonly Buffer[], joinsDeltas: boolean) =>
      joinNeighbours(decodeChunks(chunks, { partial: true, joinsDeltas }));
    const plain = read(each, false);
    expect([read([Buffer.concat(each)], true), read(each, true)]).toEqual([plain, plain]);
  });
  fc.assert(property, { numRuns: barSize({ quick: 500, full: 20_000 }) });
});

/** With what JSON escapes, also at the end, and texts that look like the end of a line. */
const awkward = fc.string({
  unit: fc.constantFrom("a", "\\", '"', "\n", "é", "😀", '"}]},"session_id":"'),
  maxLength: 4,
});

it("gives the same text whether the lines of a read are split or not", () => {
  const property = fc.property(
    fc.array(awkward, { minLength: 1, maxLength: 20 }),
    fc.nat({ max: 80 }),
    (texts, before) => {
      const reads = [[init, delta("b".repeat(before))], texts.map((text) => delta(text)), [result("")]];
      const chunks = reads.map((read) => Buffer.from(read.map((each) => `${JSON.stringify(each)}\n`).join("")));
      const read = (joinsDeltas: boolean) => joinNeighbours(decodeChunks(chunks, { partial: true, joinsDeltas }));
      expect(read(true)).toEqual(read(false));
    },
  );
  fc.assert(property, { numRuns: barSize({ quick: 500, full: 20_000 }) });
});
