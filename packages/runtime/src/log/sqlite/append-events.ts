import type { CommandKey } from "@caret/protocol";
import { type SessionRecord, type StoredEvent, unknownSession } from "../event-store.ts";
import { advanceProgress, assertPosition } from "../session-progress.ts";
import type { LogTables } from "./log-tables.ts";
import type { PreparedEvent } from "./prepared-event.ts";

export function appendEvents(
  tables: LogTables,
  {
    sessionId,
    expectedSeq,
    prepared,
    copied,
    now,
    owner,
    command,
  }: {
    readonly sessionId: string;
    readonly expectedSeq: number;
    readonly prepared: readonly PreparedEvent[];
    readonly copied: boolean;
    readonly now: number;
    readonly owner: string;
    readonly command: CommandKey | undefined;
  },
): readonly StoredEvent[] {
  const progress = tables.sessions.progress(sessionId);
  if (progress === undefined) throw unknownSession(sessionId);
  // Copied events keep their order, in which several turns may overlap.
  assertPosition(sessionId, progress, { expectedSeq, first: copied ? undefined : prepared[0]?.stored });
  const turnId = prepared[0]?.stored.turnId;
  if (command !== undefined && turnId !== undefined) {
    const { delivers } = command;
    // Checked before anything is written.
    if (delivers !== undefined) tables.messages.assertQueued(delivers);
    tables.commands.record(command, { sessionId, turn: { turnId, firstSeq: expectedSeq + 1 } }, now);
    if (delivers !== undefined) tables.messages.settle(delivers, "started", turnId);
  }
  const appended = prepared.map(({ stored, data }, index) => {
    const whole: StoredEvent = { at: now, ...stored, sessionId, seq: expectedSeq + index + 1 };
    tables.events.insert(whole, data);
    tables.turns.record(whole, { owner, copied });
    return whole;
  });
  if (appended.length > 0)
    tables.sessions.advance(sessionId, advanceProgress(progress, appended), { updatedAt: now, before: progress });
  return appended;
}

export function findSession(tables: LogTables, sessionId: string): SessionRecord {
  const session = tables.sessions.find(sessionId);
  if (session === undefined) throw unknownSession(sessionId);
  return session;
}
