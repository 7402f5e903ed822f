import { CaretError } from "@caret/protocol";
import { sentText, toLineageRecord } from "@caret/runtime/conversations/matching/lineage-row.ts";
import {
  type AnsweredTranscript,
  type KnownTranscript,
  LINEAGE_KEPT_MS,
  type LineageStore,
  type LineageView,
  type ScopeRecord,
} from "@caret/runtime/conversations/matching/lineage-store.ts";
import type { Database, Row } from "../database/open-database.ts";
import { createOrderedWork } from "../log/ordered-work.ts";
import { createPatience } from "../log/patience.ts";
import { forgetSql, lookSql, rememberSql, settleSql, tidySql } from "./lineage-sql.ts";

/** Expired transcripts are deleted once per this many transcripts. */
const TIDY_EVERY = 500;

export interface PostgresLineageStoreOptions {
  /** Must be migrated. The store does not close it. */
  readonly database: Database;
  /** The machine on which this process runs its turns. */
  readonly machine: string;
  /** The fence under which this process holds a session whose turn it runs. If absent, no fence is checked. */
  readonly fenceOf?: (sessionId: string) => number;
  readonly now?: () => number;
  /** Called when deleting expired rows fails. */
  readonly onError?: (error: CaretError) => void;
}

/**
 * A fleet's lineage index: any worker can go on with a conversation that another began. Calls about one scope run in order, so a request
 * sees what the one before it has begun to write.
 */
export function createPostgresLineageStore(options: PostgresLineageStoreOptions): LineageStore {
  const { database, machine, fenceOf, now = Date.now, onError = () => undefined } = options;
  const ordered = createOrderedWork();
  const patience = createPatience();
  let untilTidy = 0;
  // Safe to retry: repeating any of these changes nothing.
  const run = (sql: string, values: readonly unknown[], name: string) =>
    patience.retry(() => database.query(sql, values, name));
  const tidy = (): void => {
    untilTidy -= 1;
    if (untilTidy > 0) return;
    untilTidy = TIDY_EVERY;
    database.query(tidySql, [now() - LINEAGE_KEPT_MS]).catch((reason: unknown) => onError(CaretError.from(reason)));
  };

  return {
    look: ({ scope, scopes, chains }) =>
      ordered.run([scope], async () => {
        const asked = chains().flatMap((chain, number) => chain.map((hash, place) => ({ number, place, hash })));
        const places = [asked.map(({ number }) => number), asked.map(({ place }) => place + 1)];
        const { rows } = await run(
          lookSql,
          [...places, asked.map(({ hash }) => hash), scopes, machine],
          "look up transcript",
        );
        return toView(rows[0]);
      }),
    remember(answered) {
      // Read now, while its turn runs; the session may be free by the time of the statement.
      const fence = fenceOf?.(answered.record.sessionId) ?? null;
      // If this rejects, the turn does not exist, and its starter has the error.
      const isInLog = answered.inLog.then(
        () => true,
        () => false,
      );
      return ordered.run([answered.scope], async () => {
        if (await isInLog) await run(rememberSql, valuesOf(answered, fence, now()), "remember transcript");
        tidy();
      });
    },
    settle: ({ scope, hash }, turnId, outcome) =>
      ordered.run([scope], async () => void (await run(settleSql, [hash, turnId, outcome], "settle transcript"))),
    async forget(sessionId) {
      await run(forgetSql, [sessionId], "forget transcripts");
    },
    close: () => ordered.settled(),
  };
}

function valuesOf({ hash, record, scopes }: AnsweredTranscript, fence: number | null, now: number): readonly unknown[] {
  const { sessionId, turnId, count, heardBefore, at, request = null, shape = null } = record;
  // Sorted, so two requests that write the same scopes cannot deadlock.
  const added = [...scopes].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [
    ...[hash, sessionId, turnId, count, heardBefore, at, request, shape, sentText(record), fence],
    added.map(([scope]) => scope),
    added.map(([, { systemId }]) => systemId),
    added.map(([, { toolCount }]) => toolCount),
    added.map(([, { hasShownTools }]) => hasShownTools),
    now,
  ];
}

function toView(row: Row | undefined): LineageView {
  const transcripts = new Map(rowsIn(row?.["transcripts"]).map((each) => [String(each["hash"]), toKnown(each)]));
  const scopes = new Map(rowsIn(row?.["scopes"]).map((each) => [String(each["scope"]), toScope(each)]));
  return { get: (hash) => transcripts.get(hash), getScope: (scope) => scopes.get(scope) };
}

function rowsIn(value: unknown): readonly Row[] {
  return value as readonly Row[];
}

function toKnown(row: Row): KnownTranscript {
  const known = { ...toLineageRecord(row), isNewest: row["is_newest"] === true };
  // A deleted session has no position.
  if (row["last_seq"] === null) return known;
  return { ...known, session: { lastSeq: Number(row["last_seq"]), isElsewhere: row["is_elsewhere"] === true } };
}

function toScope(row: Row): ScopeRecord {
  return {
    systemId: String(row["system_id"]),
    toolCount: Number(row["tool_count"]),
    hasShownTools: row["has_shown_tools"] === true,
  };
}
