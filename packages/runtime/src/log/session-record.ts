import type { NewSession, SessionChanges, SessionRecord, UpstreamAttachment } from "./event-store.ts";

export function toSessionRecord(session: NewSession): SessionRecord {
  return { ...session, updatedAt: session.createdAt, archived: false, lastSeq: 0, upstream: [] };
}

export function changeSession(session: SessionRecord, changes: SessionChanges, updatedAt: number): SessionRecord {
  const { upstream, pinned = session.pinned, ...rest } = changes;
  const { pinned: _, ...unpinned } = session;
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...unpinned,
    ...present,
    ...(pinned === true ? { pinned } : {}),
    updatedAt,
    upstream: upstream === undefined ? session.upstream : attach(session.upstream, upstream),
  };
}

/** The text that session searches match, lower-cased for every script and not only for ASCII. */
export function toSearchText({ id, title, workspace }: SessionRecord): string {
  return [title ?? "", workspace, id].join("\n").toLowerCase();
}

/** Replaces the attachment of the same lane. */
export function attach(
  attachments: readonly UpstreamAttachment[],
  added: UpstreamAttachment,
): readonly UpstreamAttachment[] {
  return [...attachments.filter(({ lane }) => lane !== added.lane), added];
}

/** The day used for budgets: UTC, so it does not depend on where the gateway runs. */
export function toUsageDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
