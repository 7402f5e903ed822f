import type { ByteWriter } from "../process/byte-writer.ts";
import { toResultEvent } from "./result-event.ts";
import type { TurnOutput } from "./turn-output.ts";

export interface FinalOutputOptions {
  readonly writer: ByteWriter;
  readonly now: () => number;
}

/** `--output-format json`: the result object alone, once the turn is over. */
export function createJsonOutput({ writer, now }: FinalOutputOptions): TurnOutput {
  let sessionId = "";
  let startedAt = 0;
  let wholeText = "";
  return {
    ...silent,
    start(start) {
      sessionId = start.sessionId;
      startedAt = now();
    },
    textDelta(text) {
      wholeText += text;
    },
    result(result) {
      const event = toResultEvent(result, { sessionId, elapsedMs: now() - startedAt, wholeText });
      writer.write(`${JSON.stringify(event)}\n`);
    },
  };
}

/** `--output-format text`: the last thing the agent said. */
export function createTextOutput({ writer }: FinalOutputOptions): TurnOutput {
  let lastSegment = "";
  return {
    ...silent,
    textDelta(text) {
      lastSegment += text;
    },
    toolStarted() {
      lastSegment = "";
    },
    result({ text }) {
      writer.write(`${text ?? lastSegment}\n`);
    },
  };
}

const nothing = (): void => undefined;
const silent: TurnOutput = {
  start: nothing,
  thinkingDelta: nothing,
  thinkingEnd: nothing,
  textDelta: nothing,
  query: nothing,
  toolStarted: nothing,
  toolCompleted: nothing,
  event: nothing,
  result: nothing,
};
