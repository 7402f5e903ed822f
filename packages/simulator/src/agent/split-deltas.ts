/** How fast words leave: `tokensPerDelta` at once, `deltaMs` apart. */
export interface Pace {
  readonly tokensPerDelta: number;
  readonly deltaMs: number;
}

/** Close to what the real agent shows: a few words at a time, none of them waited for. */
export const defaultPace: Pace = { tokensPerDelta: 4, deltaMs: 0 };

const token = /\s*[\p{L}\p{N}\p{M}_]+|\s*[^\s\p{L}\p{N}\p{M}_]|\s+/gu;

/** Cuts a string into deltas that give it back when joined. */
export function* splitDeltas(text: string, tokensPerDelta: number): Generator<string> {
  let delta = "";
  let tokens = 0;
  for (const [piece] of text.matchAll(token)) {
    delta += piece;
    tokens += 1;
    if (tokens < tokensPerDelta) continue;
    yield delta;
    delta = "";
    tokens = 0;
  }
  if (delta !== "") yield delta;
}
