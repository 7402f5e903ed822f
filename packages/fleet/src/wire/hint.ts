/**
 * Why a process should look into the database. A hint is never the truth: what it names is read, and what no hint named is found by the
 * next poll.
 *
 * - `work`: a queue has a job. `key`: a session or conversation has another turn.
 * - `turn`: a turn of the queue was answered or has ended.
 * - `command`: a process has a command to run. `answer`: a command was answered.
 * - `log`: a session's log has grown. `running`: what a running turn waits for has changed.
 * - `live`: an answer of a stateless door has grown.
 * - `token`: a token was added or revoked.
 * - `comparison`: a comparison has changed.
 * - `message`: something was put into the queue of an agent or a session, or may start now.
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
  /** A queue, turn, process, command, session, comparison or receiver of messages; never with a space in it. */
  readonly id: string;
}

/** PostgreSQL refuses a payload of 8000 bytes. */
const MAX_PAYLOAD = 7_900;

/** One line per payload of a notification: `kind id kind id …`. What is named twice is named once. */
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
