import type { SessionUpdate, SessionView } from "@caret/protocol";

/** A session waits for a person. Says for what kind of reply, not about what. */
export interface WaitingNotice {
  readonly sessionId: string;
  readonly title: string;
  /** `message`: an agent has told a person something and expects no answer. */
  readonly kind: "approval" | "question" | "message";
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Remembers what each session waited for, to return one notice per wait. */
export function createWaitingNotices(): (update: SessionUpdate) => readonly WaitingNotice[] {
  const known = new Map<string, ReadonlySet<string>>();
  return (update) => {
    if (update.kind === "deleted") {
      known.delete(update.sessionId);
      return [];
    }
    const { session } = update;
    const waits = waitsOf(session);
    const before = known.get(session.id);
    if (waits.length === 0) known.delete(session.id);
    else known.set(session.id, new Set(waits.map(nameOf)));
    return waits.filter((wait) => before?.has(nameOf(wait)) !== true);
  };
}

function waitsOf({ id, title, status, asksSince }: SessionView): readonly WaitingNotice[] {
  const of = { sessionId: id, title };
  const message = asksSince === undefined ? [] : [{ ...of, kind: "message" as const, since: asksSince }];
  if (status.kind !== "waiting" || status.waitsFor === "client" || status.waitsFor === "machine") return message;
  return [{ ...of, kind: status.waitsFor, since: status.since }, ...message];
}

function nameOf({ kind, since }: WaitingNotice): string {
  return `${kind} ${since}`;
}
