import type { AgentEvent, JsonObject, Owner } from "@caret/protocol";
import { contractDialect } from "./contract/contract-dialect.ts";
import type { Dialect, DialectName, Ending } from "./dialect.ts";
import type { Frame } from "./framing/frame.ts";
import { type FrameReaderState, finishFrames, readFrames } from "./framing/frame-reader.ts";
import { createLineSplitter, DEFAULT_MAX_LINE_BYTES, type LineBatch } from "./framing/line-splitter.ts";
import { payloadDialect } from "./payload/payload-dialect.ts";
import { objectField, textField } from "./read-fields.ts";
import { type FurtherTurns, severalTurns } from "./several-turns.ts";
import { streamJsonDialect } from "./stream-json/stream-json-dialect.ts";
import { openLongResult } from "./stream-json/turn-result.ts";

const contractTypes: ReadonlySet<string> = new Set(["protocol", "assistant_delta", "usage", "done"]);

const streamJsonTypes: ReadonlySet<string> = new Set([
  "system",
  "user",
  "assistant",
  "thinking",
  "tool_call",
  "interaction_query",
  "connection",
  "retry",
  "result",
]);

/** So many frames may pass without telling their dialect; then they are taken for the official CLI's, which tolerates most. */
const MAX_UNDECIDED = 16;

export interface DecoderOptions {
  readonly dialect: DialectName | "auto";
  /** Whether the official CLI was asked for partial output. */
  readonly partial: boolean;
  /** Who runs the calls of a contract CLI. */
  readonly owner?: Owner;
  readonly maxLineBytes?: number;
  /** Keep only the beginning of what a tool printed when it is millions of bytes long, so that nobody waits for it. */
  readonly shortensResults?: boolean;
  /** For recordings, which may hold several turns. Without it, whatever follows the end of the turn is left out. */
  readonly furtherTurns?: FurtherTurns;
}

/** An event, beside the line that it came from, for the raw view: only where it is the first of a line worth parsing. */
export interface Decoded {
  readonly event: AgentEvent;
  readonly raw?: string | undefined;
}

/** Bytes in, batches of events out. The `turn-start` is the caller's, who knows what the turn was asked to do. */
export interface Decoder {
  push(chunk: Uint8Array): readonly Decoded[];
  /** No more bytes will come. Ends the turn if the stream has not ended it. */
  finish(ending: Ending): readonly Decoded[];
  /** Undefined until `auto` has seen a line that tells. */
  readonly dialect: DialectName | undefined;
  readonly hasEnded: boolean;
}

export function createDecoder(options: DecoderOptions): Decoder {
  const { maxLineBytes = DEFAULT_MAX_LINE_BYTES } = options;
  const splitter = createLineSplitter({
    maxLineBytes,
    ...(options.shortensResults === true ? { openLongLine: openLongResult } : {}),
  });
  const dialects = createDialects(options);
  let dialect = options.dialect === "auto" ? undefined : dialects[options.dialect];
  let state = dialect?.initial;
  let undecided: Frame[] = [];
  let reading: FrameReaderState;

  const choose = (decoded: Decoded[], name: DialectName): Dialect<unknown> => {
    const chosen = dialects[name];
    dialect = chosen;
    state = chosen.initial;
    for (const frame of undecided) decodeFrame(decoded, frame, undefined);
    undecided = [];
    return chosen;
  };

  /** The line stands beside the first event that came of it. */
  const decodeFrame = (decoded: Decoded[], frame: Frame, line: string | undefined): void => {
    if (dialect === undefined) return decide(decoded, frame);
    const [next, events] = dialect.step(state, frame);
    state = next;
    let raw = line;
    for (const event of events) {
      decoded.push({ event, raw });
      raw = undefined;
    }
  };

  /** Frames that tell nothing wait for one that does, so that nothing is lost by deciding late. */
  const decide = (decoded: Decoded[], frame: Frame): void => {
    undecided.push(frame);
    const name = recogniseDialect(frame) ?? (undecided.length > MAX_UNDECIDED ? "stream-json" : undefined);
    if (name !== undefined) choose(decoded, name);
  };

  const decodeLine = (decoded: Decoded[], line: string): void => {
    const quick = reading === undefined ? dialect?.quickFrame?.(line) : undefined;
    if (quick !== undefined) return decodeFrame(decoded, quick, undefined);
    const [next, frames] = readFrames(reading, line, maxLineBytes);
    reading = next;
    const before = decoded.length;
    for (const frame of frames) decodeFrame(decoded, frame, decoded.length === before ? line : undefined);
  };

  const decodeBatch = ({ lines, failure }: LineBatch): Decoded[] => {
    const decoded: Decoded[] = [];
    for (const line of lines) decodeLine(decoded, line);
    if (failure !== undefined) end(decoded, { kind: "failed", error: failure.toInfo() });
    return decoded;
  };

  const end = (decoded: Decoded[], ending: Ending): void => {
    const chosen = dialect ?? choose(decoded, "stream-json");
    const [ended, closing] = chosen.finish(state, ending);
    state = ended;
    for (const event of closing) decoded.push({ event, raw: undefined });
  };

  return {
    push: (chunk) => decodeBatch(splitter.push(chunk)),
    finish(ending) {
      const decoded = decodeBatch(splitter.end());
      for (const frame of finishFrames(reading)) decodeFrame(decoded, frame, undefined);
      reading = undefined;
      end(decoded, ending);
      return decoded;
    },
    get dialect() {
      return dialect?.name;
    },
    get hasEnded() {
      return dialect?.hasEnded(state) ?? false;
    },
  };
}

function createDialects(options: DecoderOptions): Readonly<Record<DialectName, Dialect<unknown>>> {
  const { partial, owner, furtherTurns } = options;
  const read = <State>(dialect: Dialect<State>): Dialect<unknown> =>
    (furtherTurns === undefined ? dialect : severalTurns(dialect, furtherTurns)) as Dialect<unknown>;
  return {
    "stream-json": read(streamJsonDialect({ partial })),
    contract: read(contractDialect(owner === undefined ? {} : { owner })),
    payload: read(payloadDialect()),
  };
}

/** Which dialect a frame is proof of; undefined when it could be any, or none. */
function recogniseDialect(frame: Frame): DialectName | undefined {
  if (frame.kind !== "object") return undefined;
  return frame.sentinel ? "contract" : recogniseObject(frame.value);
}

function recogniseObject(event: JsonObject): DialectName | undefined {
  const type = textField(event, "type");
  if (type === undefined) return undefined;
  if (objectField(event, "payload") !== undefined || type === "raw") return "payload";
  if (contractTypes.has(type) || objectField(event, "data") !== undefined) return "contract";
  if (streamJsonTypes.has(type)) return "stream-json";
  return type === "error" && textField(event, "message") !== undefined ? "payload" : undefined;
}
