import type { Frame } from "./frame.ts";
import { readObjects } from "./read-objects.ts";

const START = "__JSON_START__";
const END = "__JSON_END__";

/** Content so far of an open sentinel frame; undefined outside of one. */
export type FrameReaderState = { readonly payload: string } | undefined;

/**
 * One line in, the next state and its frames out. A frame is an object on a line, or everything between the lines `__JSON_START__` and
 * `__JSON_END__`, up to `maxLength` characters.
 */
export function readFrames(
  state: FrameReaderState,
  line: string,
  maxLength: number,
): readonly [FrameReaderState, readonly Frame[]] {
  // The marker inside a JSON string is text about sentinels, not a sentinel.
  if (state === undefined && line.startsWith("{")) return [undefined, readObjects(line)];
  if (state === undefined) return openSentinel(line, maxLength);
  const end = line.indexOf(END);
  if (end === -1) return grow(state, line, maxLength);
  const rest = line.slice(end + END.length);
  const frames = toFrames(`${state.payload}\n${line.slice(0, end)}`);
  const [next, more] = rest.trim() === "" ? [undefined, []] : readFrames(undefined, rest, maxLength);
  return [next, [...frames, ...more]];
}

/** At the end of the stream, an unclosed sentinel frame is malformed. */
export function finishFrames(state: FrameReaderState): readonly Frame[] {
  if (state === undefined) return [];
  return [{ kind: "malformed", text: state.payload, reason: `${START} without ${END}` }];
}

function openSentinel(line: string, maxLength: number): readonly [FrameReaderState, readonly Frame[]] {
  const start = line.indexOf(START);
  if (start === -1 || line.slice(0, start).includes("{")) return [undefined, readObjects(line)];
  const before = readObjects(line.slice(0, start));
  const [state, frames] = readFrames({ payload: "" }, line.slice(start + START.length), maxLength);
  return [state, [...before, ...frames]];
}

function grow(
  state: NonNullable<FrameReaderState>,
  line: string,
  maxLength: number,
): readonly [FrameReaderState, readonly Frame[]] {
  const payload = `${state.payload}\n${line}`;
  if (payload.length > maxLength)
    return [
      undefined,
      [{ kind: "malformed", text: "", reason: `a sentinel frame longer than ${maxLength} characters` }],
    ];
  return [{ payload }, []];
}

function toFrames(payload: string): readonly Frame[] {
  const frames = readObjects(payload, true);
  return frames.length > 0 ? frames : [{ kind: "malformed", text: payload, reason: "an empty sentinel frame" }];
}
