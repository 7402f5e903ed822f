/**
 * Why a process should look into the database. A hint is never the truth: readers read what it names, and the next poll finds what no hint
 * named.
 *
 * - `work`: a queue has a job. `key`: a session or conversation has another turn.
 * - `turn`: a queued turn was answered or has ended.
 * - `command`: a process has a command to run. `answer`: a command was answered.
 * - `log`: a session's log has grown. `running`: what a running turn waits for has changed.
 * - `live`: an answer of a stateless door has grown.
 * - `token`: a token was added or revoked.
 * - `comparison`: a comparison has changed.
 * - `message`: a message was queued for an agent or a session, or can start now.
 */
export type HintKind =
  | "work"
  | "key"
  | "turn"
  | "command"
  | "answer"
  | "log"
  | "running"
  | "live"
  | "token"
  | "message"
  | "comparison";

export interface Hint {
  readonly kind: HintKind;
  /** A queue, turn, process, command, session, comparison or message receiver. Contains no spaces. */
  readonly id: string;
}

/** PostgreSQL rejects payloads of 8000 bytes or more. */
const MAX_PAYLOAD = 7_900;

/** Notification payloads, each one line: `kind id kind id …`. Duplicates are dropped. */
export function toPayloads(hints: readonly Hint[]): readonly string[] {
  const words = new Set(hints.map(({ kind, id }) => `${kind} ${id}`));
  const payloads: string[] = [];
  let line = "";
  for (const word of words) {
    if (line.length + word.length + 1 > MAX_PAYLOAD) {
      payloads.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? payloads : [...payloads, line];
}

export function readPayload(payload: string): readonly Hint[] {
  const words = payload.split(" ");
  return words.flatMap((kind, index) => {
    const id = index % 2 === 0 ? words[index + 1] : undefined;
    return id === undefined ? [] : [{ kind: kind as HintKind, id }];
  });
}
