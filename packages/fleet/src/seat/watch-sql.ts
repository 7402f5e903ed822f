import { isThereSql } from "../members/members.ts";
import { isOrphanSql, jobSchema } from "../queue/job-queue.ts";
import { isExpiredSql, isForgottenSql } from "../queue/reap.ts";
import { isLostSql } from "../queue/session-leases.ts";
import { isEndedSql, isUnrecordedSql } from "../queue/unended.ts";
import type { HintKind } from "../wire/hint.ts";

/**
 * What readers watch: what hints name, and two kinds without hints.
 *
 * - `lost`: a worker has left something to end or hand on.
 * - `neighbours`: processes of a machine that have joined the fleet or hold something.
 */
export type WatchKind = HintKind | "lost" | "neighbours";

/** Changes when a process joins or leaves the fleet, or is no longer heard of. */
const membersSql = `(select coalesce(sum(hashtext(id || is_leaving)), 0) from members where ${isThereSql})`;

/** The position of one session's log; without a session, the commit count over all. */
const logSql = `case when watched.id = ''
  then (select concat_ws(' ', sum(commits), count(*)) from openers)
  else (select concat_ws(' ', incarnation, last_seq, updated_at, hidden) from sessions where id = watched.id) end`;

/**
 * SQL for the mark of each kind of thing, by its id in `watched`; it changes when readers should look. With `isWork`, the mark is set as
 * long as something waits to be taken.
 */
const marks: Readonly<Record<WatchKind, { readonly sql: (schema: string) => string; readonly isWork?: boolean }>> = {
  work: {
    isWork: true,
    sql: (schema) =>
      `(select 'waits' from ${jobSchema(schema)}.job where name = watched.id and state < 'active' and start_after <= now() limit 1)`,
  },
  key: { isWork: true, sql: () => "(select 'waits' from turns where key = watched.id and state = 'queued' limit 1)" },
  command: {
    isWork: true,
    sql: () => "(select 'waits' from commands where target = watched.id and state = 'queued' limit 1)",
  },
  message: { isWork: true, sql: () => "(select 'waits' from messages where state = 'queued' limit 1)" },
  lost: {
    isWork: true,
    sql: (schema) => `case when exists (select from work where ${isExpiredSql})
      or exists (select from sessions where ${isLostSql})
      or exists (select from running_turns join sessions on ${isEndedSql})
      or exists (select from turns join work using (key) where ${isUnrecordedSql} or ${isForgottenSql})
      or exists (select from ${jobSchema(schema)}.job join work on key = singleton_key where ${isOrphanSql})
      then 'waits' end`,
  },
  log: { sql: () => logSql },
  running: {
    sql: () => "(select concat_ws(' ', count(*), max(changed), sum(hashtext(session_id))) from running_turns)",
  },
  token: { sql: () => "(select max(change)::text from tokens)" },
  turn: { sql: () => "(select concat_ws(' ', state, answer is not null) from turns where id = watched.id)" },
  answer: {
    sql: () =>
      `(select concat_ws(' ', state, target, answer is not null, ${membersSql}) from commands where id = watched.id)`,
  },
  live: {
    sql: () =>
      `(select concat_ws(' ', state, (select max(number) from live_batches where share = watched.id)) from turns where id = watched.id)`,
  },
  comparison: {
    sql: () => `(select concat_ws(' ', version, ${membersSql}) from comparisons where id = watched.id)`,
  },
  neighbours: {
    sql: () => `(select string_agg(owner, ' ' order by owner) from (
      select owner from work where owner is not null union select owner from sessions where owner is not null
      union select id from members) as held where starts_with(owner, watched.id || '/'))`,
  },
};

/** One thing that readers watch, with its mark when they last looked. */
export interface Watched {
  readonly kind: WatchKind;
  /** Empty: all of the kind. */
  readonly id: string;
  readonly mark: string | null;
}

export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly name: string;
}

/** One statement for everything watched. It returns a row (`kind`, `id`, `mark`) for each thing that readers should look at. */
export function changedSql(schema: string, watched: readonly Watched[]): Statement {
  const byKind = [...Map.groupBy(watched, ({ kind }) => kind)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const parts = byKind.map(
    ([kind], index) => `select '${kind}' as kind, id, known, ${marks[kind].sql(schema)} as mark
      from unnest($${2 * index + 1}::text[], $${2 * index + 2}::text[]) as watched (id, known)`,
  );
  return {
    sql: `select kind, id, mark from (${parts.join("\nunion all ")}) as looked where mark is distinct from known`,
    values: byKind.flatMap(([kind, things]) => [
      things.map(({ id }) => id),
      things.map(({ mark }) => (marks[kind].isWork === true ? null : mark)),
    ]),
    name: `watch ${byKind.map(([kind]) => kind).join(" ")}`,
  };
}
