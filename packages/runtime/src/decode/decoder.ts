import { type AgentEvent, type AgentEventOf, isDelta, isSameBlock, type JsonObject, type Owner } from "@caret/protocol";
import { contractDialect } from "./contract/contract-dialect.ts";
import type { Dialect, DialectName, Ending } from "./dialect.ts";
import type { Frame } from "./framing/frame.ts";
import { type FrameReaderState, finishFrames, readFrames } from "./framing/frame-reader.ts";
import {
  createLineSplitter,
  DEFAULT_MAX_LINE_BYTES,
  type LineBatch,
  type LineSplitter,
  linesOf,
} from "./framing/line-splitter.ts";
import type { LongLine } from "./framing/open-line.ts";
import { payloadDialect } from "./payload/payload-dialect.ts";
import { objectField, textField } from "./read-fields.ts";
import { type FurtherTurns, severalTurns } from "./several-turns.ts";
import { streamJsonDialect } from "./stream-json/stream-json-dialect.ts";

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

/** Frames that can pass without identifying their dialect; after that, the official CLI's is assumed, which tolerates most. */
const MAX_UNDECIDED = 16;

export interface DecoderOptions {
  readonly dialect: DialectName | "auto";
  /**
   * For `auto`: the program is expected to answer in the contract. Its first frame decides, and is the contract's unless it proves to be
   * `payload`: anything that breaks the contract must fail at once.
   */
  readonly expects?: "contract";
  /** Whether the official CLI was asked for partial output. */
  readonly partial: boolean;
  /** Who runs the calls of a contract CLI. */
  readonly owner?: Owner;
  readonly maxLineBytes?: number;
  /** Keep only the needed parts of lines that are megabytes long, so they do not block others. */
  readonly shortensLongLines?: boolean;
  /** Join the deltas of one block that came in one read. */
  readonly joinsDeltas?: boolean;
  /** For recordings of several turns. If omitted, anything after the turn's end is dropped. */
  readonly furtherTurns?: FurtherTurns;
}

/** An event with its source line for the raw view, if it is the first event of a line that was parsed. */
export interface Decoded {
  readonly event: AgentEvent;
  readonly raw?: string | undefined;
}

/** Bytes in, batches of events out. `turn-start` is added by the caller, who knows what the turn was asked. */
export interface Decoder {
  push(chunk: Uint8Array): readonly Decoded[];
  /**
   * Fast path for most reads of a stream: returns the chunk as a delta if it only continues the open text. Otherwise returns undefined and
   * consumes nothing; push the chunk instead. Only with `joinsDeltas`.
   */
  more(chunk: Uint8Array): AgentEventOf<"text-delta"> | undefined;
  /** Call at the end of the stream. Ends the turn if the stream has not. */
  finish(ending: Ending): readonly Decoded[];
  /** Undefined until `auto` has identified it. */
  readonly dialect: DialectName | undefined;
  readonly hasEnded: boolean;
}

export function createDecoder(options: DecoderOptions): Decoder {
  return new LineDecoder(options);
}

class LineDecoder implements Decoder {
  readonly #options: DecoderOptions;
  readonly #maxLineBytes: number;
  readonly #splitter: LineSplitter;
  readonly #dialects: Readonly<Record<DialectName, Dialect<unknown>>>;
  #dialect: Dialect<unknown> | undefined;
  #state: unknown;
  /** Undecided frames are kept, so deciding late loses nothing. */
  #undecided: { readonly frame: Frame; readonly line: string | undefined }[] = [];
  #reading: FrameReaderState;

  constructor(options: DecoderOptions) {
    const { maxLineBytes = DEFAULT_MAX_LINE_BYTES, dialect } = options;
    const openLongLine = (head: string): LongLine | undefined => this.#dialect?.openLongLine?.(this.#state, head);
    const shortening = options.shortensLongLines === true ? { openLongLine } : {};
    this.#options = options;
    this.#maxLineBytes = maxLineBytes;
    this.#splitter = createLineSplitter({ maxLineBytes, keepsRuns: options.joinsDeltas === true, ...shortening });
    this.#dialects = createDialects(options);
    this.#dialect = dialect === "auto" ? undefined : this.#dialects[dialect];
    this.#state = this.#dialect?.initial;
  }

  get dialect(): DialectName | undefined {
    return this.#dialect?.name;
  }

  get hasEnded(): boolean {
    return this.#dialect?.hasEnded(this.#state) ?? false;
  }

  push(chunk: Uint8Array): readonly Decoded[] {
    return this.#decodeBatch(this.#splitter.push(chunk));
  }

  more(chunk: Uint8Array): AgentEventOf<"text-delta"> | undefined {
    if (this.#options.joinsDeltas !== true || this.#reading !== undefined) return undefined;
    const run = this.#splitter.peek(chunk);
    return run === undefined ? undefined : this.#readMore(run);
  }

  finish(ending: Ending): readonly Decoded[] {
    const decoded = this.#decodeBatch(this.#splitter.end());
    for (const frame of finishFrames(this.#reading)) this.#decodeFrame(decoded, frame, undefined);
    this.#reading = undefined;
    this.#end(decoded, ending);
    return decoded;
  }

  #decodeBatch({ lines, failure }: LineBatch): Decoded[] {
    const decoded: Decoded[] = [];
    if (this.#options.joinsDeltas === true) for (const run of lines) this.#decodeRun(decoded, run);
    else for (const line of lines) this.#decodeLine(decoded, line);
    if (failure !== undefined) this.#end(decoded, { kind: "failed", error: failure.toInfo() });
    return decoded;
  }

  /** Decodes whole lines in one step if they are the usual kind; otherwise as few as possible one by one. */
  #decodeRun(decoded: Decoded[], run: string): void {
    const more = this.#reading === undefined ? this.#readMore(run) : undefined;
    if (more !== undefined) return this.#add(decoded, more);
    const lines = linesOf(run);
    for (let index = 0; index < lines.length; ) {
      const read = this.#decodeSome(decoded, lines, index);
      if (read === 0) this.#decodeLine(decoded, lines[index] ?? "");
      index += read || 1;
    }
  }

  #readMore(run: string): AgentEventOf<"text-delta"> | undefined {
    const step = this.#dialect?.more?.(this.#state, run);
    if (step === undefined) return undefined;
    this.#state = step[0];
    return step[1];
  }

  /** Decodes the lines from `first` on that need no parsing in one step; returns their number. */
  #decodeSome(decoded: Decoded[], lines: readonly string[], first: number): number {
    const dialect = this.#dialect;
    if (this.#reading !== undefined || dialect?.stepOver === undefined) return 0;
    const frames = quickFrames(dialect, lines, first);
    if (frames.length > 0) this.#take(decoded, dialect.stepOver(this.#state, frames));
    return frames.length;
  }

  #take(decoded: Decoded[], [next, events]: readonly [unknown, readonly AgentEvent[]]): void {
    this.#state = next;
    for (const event of events) this.#add(decoded, event);
  }

  /** Adds an event from several lines, joined to a preceding delta. */
  #add(decoded: Decoded[], event: AgentEvent): void {
    const last = decoded.at(-1);
    if (last !== undefined && isDelta(last.event) && isDelta(event) && isSameBlock(last.event, event))
      decoded[decoded.length - 1] = { ...last, event: { ...event, text: last.event.text + event.text } };
    else decoded.push({ event, raw: undefined });
  }

  #decodeLine(decoded: Decoded[], line: string): void {
    const quick = this.#reading === undefined ? this.#dialect?.quickFrame?.(line) : undefined;
    if (quick !== undefined) return this.#decodeFrame(decoded, quick, undefined);
    const [next, frames] = readFrames(this.#reading, line, this.#maxLineBytes);
    this.#reading = next;
    const before = decoded.length;
    for (const frame of frames) this.#decodeFrame(decoded, frame, decoded.length === before ? line : undefined);
  }

  /** Attaches the line to its first event. */
  #decodeFrame(decoded: Decoded[], frame: Frame, line: string | undefined): void {
    if (this.#dialect === undefined) return this.#decide(decoded, frame, line);
    const [next, events] = this.#dialect.step(this.#state, frame);
    this.#state = next;
    let raw = line;
    for (const event of events) {
      decoded.push({ event, raw });
      raw = undefined;
    }
  }

  #decide(decoded: Decoded[], frame: Frame, line: string | undefined): void {
    this.#undecided.push({ frame, line });
    const name = this.#recognise(frame);
    if (name !== undefined) this.#choose(decoded, name);
  }

  #recognise(frame: Frame): DialectName | undefined {
    if (this.#options.expects === "contract") return hasPayload(frame) ? "payload" : "contract";
    const isLast = this.#undecided.length > MAX_UNDECIDED;
    return recogniseDialect(frame) ?? (isLast ? "stream-json" : undefined);
  }

  #choose(decoded: Decoded[], name: DialectName): Dialect<unknown> {
    const chosen = this.#dialects[name];
    this.#dialect = chosen;
    this.#state = chosen.initial;
    for (const { frame, line } of this.#undecided) this.#decodeFrame(decoded, frame, line);
    this.#undecided = [];
    return chosen;
  }

  #end(decoded: Decoded[], ending: Ending): void {
    const chosen = this.#dialect ?? this.#choose(decoded, this.#options.expects ?? "stream-json");
    const [ended, closing] = chosen.finish(this.#state, ending);
    this.#state = ended;
    for (const event of closing) decoded.push({ event, raw: undefined });
  }
}

/** The frames of the lines from `first` up to one that needs parsing. */
function quickFrames({ quickFrame }: Dialect<unknown>, lines: readonly string[], first: number): readonly Frame[] {
  const frames: Frame[] = [];
  for (let index = first; index < lines.length; index += 1) {
    const frame = quickFrame?.(lines[index] ?? "");
    if (frame === undefined) break;
    frames.push(frame);
  }
  return frames;
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

/** The dialect a frame proves; undefined if it fits any, or none. */
function recogniseDialect(frame: Frame): DialectName | undefined {
  if (frame.kind !== "object") return undefined;
  return frame.sentinel ? "contract" : recogniseObject(frame.value);
}

function hasPayload(frame: Frame): boolean {
  return frame.kind === "object" && objectField(frame.value, "payload") !== undefined;
}

function recogniseObject(event: JsonObject): DialectName | undefined {
  const type = textField(event, "type");
  if (type === undefined) return undefined;
  if (objectField(event, "payload") !== undefined || type === "raw") return "payload";
  if (contractTypes.has(type) || objectField(event, "data") !== undefined) return "contract";
  if (streamJsonTypes.has(type)) return "stream-json";
  return type === "error" && textField(event, "message") !== undefined ? "payload" : undefined;
}
