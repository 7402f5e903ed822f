import { createDecoder } from "@caret/runtime";

export interface DecodeChunksOptions {
  readonly partial: boolean;
  /** How the turn must end. A benchmark of something that went wrong would be worth nothing. */
  readonly outcome: string;
  readonly afterChunk?: () => void;
}

/** Decode a turn and drop its events. */
export function decodeChunks(
  chunks: Iterable<Uint8Array>,
  { partial, outcome, afterChunk }: DecodeChunksOptions,
): void {
  const decoder = createDecoder({ dialect: "stream-json", partial });
  let ended: string | undefined;
  const look = (decoded: ReturnType<typeof decoder.push>): void => {
    const last = decoded.at(-1)?.event;
    if (last?.type === "turn-end") ended = last.outcome.kind;
  };
  for (const chunk of chunks) {
    look(decoder.push(chunk));
    afterChunk?.();
  }
  look(decoder.finish({ kind: "end-of-stream" }));
  if (ended !== outcome) throw new Error(`The sample should have ended as ${outcome}, but ended as ${ended}`);
}
