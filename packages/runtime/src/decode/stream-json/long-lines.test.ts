import type { AgentEvent } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createDecoder } from "../decoder.ts";
import * as lines from "../testing/stream-json-lines.ts";

const PIECE = 64 * 1024;
const word = 'a "word"\n of grüße 🍏 ';
const DELTA = word.repeat(1_000);
const COUNT = 110;
const ANSWER = DELTA.repeat(COUNT);

/** The events of a turn that says `DELTA` a hundred times, and closes with these lines. */
function decode(shortensLongLines: boolean, ...closing: readonly object[]): readonly AgentEvent[] {
  const decoder = createDecoder({ dialect: "stream-json", partial: true, shortensLongLines, joinsDeltas: true });
  const said = Array.from({ length: COUNT }, () => lines.delta(DELTA));
  const bytes = Buffer.from([lines.init, ...said, ...closing].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const events: AgentEvent[] = [];
  for (let start = 0; start < bytes.byteLength; start += PIECE)
    events.push(...decoder.push(bytes.subarray(start, start + PIECE)).map(({ event }) => event));
  return [...events, ...decoder.finish({ kind: "end-of-stream" }).map(({ event }) => event)];
}

const textIn = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
const withoutText = (events: readonly AgentEvent[]): readonly string[] =>
  events.filter(({ type }) => type !== "text-delta").map(({ type }) => type);

describe("the lines that close an answer of millions of bytes", () => {
  it.each<[string, readonly object[], string]>([
    ["repeat it", [lines.final(ANSWER), lines.result(ANSWER)], ANSWER],
    ["hold a little more than was shown", [lines.final(`${ANSWER}And more.`), lines.result("")], `${ANSWER}And more.`],
    [
      "hold more than twice as much",
      [lines.final(`${ANSWER}${ANSWER}${ANSWER}`), lines.result("")],
      `${ANSWER}${ANSWER}${ANSWER}`,
    ],
    [
      "are another text",
      [lines.final(`Other ${ANSWER}`), lines.result("")],
      `${ANSWER}${`Other ${ANSWER}`.slice(ANSWER.length)}`,
    ],
  ])("mean the same whether they are kept whole or not when they %s", (_name, closing, text) => {
    const [short, whole] = [decode(true, ...closing), decode(false, ...closing)];
    expect({ isSaid: textIn(short) === text, isSame: textIn(short) === textIn(whole) }).toEqual({
      isSaid: true,
      isSame: true,
    });
    expect(withoutText(short)).toEqual(withoutText(whole));
  });

  it("end the turn with the words of a failure that is as long", () => {
    const end = decode(true, { type: "result", subtype: "error", is_error: true, result: ANSWER }).at(-1);
    expect(end).toMatchObject({ type: "turn-end", outcome: { kind: "failed", error: { code: "upstream-error" } } });
  });
});

describe("an echo of millions of bytes", () => {
  it.each(["Hello", DELTA])("is left out, and what stands behind it on the same line is not", (text) => {
    const echo = { type: "user", message: { role: "user", content: [{ type: "text", text: ANSWER }] } };
    const decoder = createDecoder({
      dialect: "stream-json",
      partial: true,
      shortensLongLines: true,
      joinsDeltas: true,
    });
    const bytes = Buffer.from(
      `${JSON.stringify(lines.init)}\n${JSON.stringify(echo)}${JSON.stringify(lines.delta(text))}\n${JSON.stringify(lines.result(text))}\n`,
    );
    const events: AgentEvent[] = [];
    const raw: (string | undefined)[] = [];
    for (let start = 0; start < bytes.byteLength; start += PIECE)
      for (const decoded of decoder.push(bytes.subarray(start, start + PIECE))) {
        events.push(decoded.event);
        raw.push(decoded.raw);
      }
    expect({
      isSaid: textIn(events) === text,
      end: events.at(-1)?.type,
      isSmall: raw.join("").length < 4 * PIECE,
    }).toEqual({
      isSaid: true,
      end: "turn-end",
      isSmall: true,
    });
  });
});
