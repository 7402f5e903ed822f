import { type AgentEvent, assertWellFormedTurn, summariseEvents, type TurnSummary } from "@caret/protocol";
import { createDecoder, type DecoderOptions } from "../decoder.ts";
import type { Ending } from "../dialect.ts";

const turnStart: AgentEvent = { type: "turn-start", turnId: "t1", lane: "cli" };

/**
 * Decodes chunks as one turn, as a lane does, trying the fast path for text first. Every test that decodes anything thereby also tests the
 * contract.
 */
export function decodeChunks(
  chunks: readonly Uint8Array[],
  options: Partial<DecoderOptions> = {},
  ending: Ending = { kind: "end-of-stream" },
): readonly AgentEvent[] {
  const decoder = createDecoder({ dialect: "stream-json", partial: true, ...options });
  const read = (chunk: Uint8Array): readonly AgentEvent[] => {
    const more = decoder.more(chunk);
    return more === undefined ? decoder.push(chunk).map(({ event }) => event) : [more];
  };
  const events = [turnStart, ...chunks.flatMap(read), ...decoder.finish(ending).map(({ event }) => event)];
  assertWellFormedTurn(events);
  return events.slice(1);
}

/** Decodes lines given as text or as objects to be written as JSON. */
export function decodeLines(
  lines: readonly (string | object)[],
  options: Partial<DecoderOptions> = {},
  ending?: Ending,
): readonly AgentEvent[] {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  return decodeChunks([Buffer.from(`${text}\n`)], options, ending);
}

export function summarise(lines: readonly (string | object)[], options: Partial<DecoderOptions> = {}): TurnSummary {
  return summariseEvents(decodeLines(lines, options));
}
