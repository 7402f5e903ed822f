import { CaretError } from "@caret/protocol";
import { type AnswerArchive, KEPT_DAYS } from "@caret/runtime/answers/answer-archive.ts";
import type { Database } from "../database/open-database.ts";
import type { Sealer } from "../wire/sealer.ts";

const KEPT_MS = KEPT_DAYS * 24 * 60 * 60 * 1000;
/** How long storing an answer may delay its end. An answer not stored in time costs its client one full request. */
const PATIENCE_MS = 2_000;
/** Expired answers are deleted once per this many answers. */
const TIDY_EVERY = 500;

export interface PostgresAnswerArchiveOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now?: () => number;
  readonly onError?: (error: CaretError) => void;
}

const putSql = `
  with kept as (
    insert into kept_answers (keeper, id, session_id, at, body) values ($1, $2, $3, $4, $5)
    on conflict (keeper, id) do update set session_id = excluded.session_id, at = excluded.at, body = excluded.body
    returning key
  ) insert into kept_items (keeper, id, answer) select $1, item, kept.key from kept, unnest($6::text[]) as item
  on conflict (keeper, id) do update set answer = excluded.answer
`;
const findSql = "select body from kept_answers where keeper = $1 and id = $2 and at >= $3";
const findByItemSql = `
  select body from kept_answers where at >= $3 and key = (select answer from kept_items where keeper = $1 and id = $2)
`;

/** The fleet's answers: a client can go on from one at any gateway. */
export function createPostgresAnswerArchive(options: PostgresAnswerArchiveOptions): AnswerArchive {
  const { database, sealer, now = Date.now, onError = () => undefined } = options;
  let untilTidy = 0;
  const oldest = (): number => now() - KEPT_MS;

  async function attempt<Result>(work: Promise<Result>): Promise<Result | undefined> {
    try {
      return await work;
    } catch (reason) {
      onError(new CaretError("storage-failed", "An answer could not be kept or looked up", { cause: reason }));
      return undefined;
    }
  }
  const tidy = (): void => {
    untilTidy -= 1;
    if (untilTidy > 0) return;
    untilTidy = TIDY_EVERY;
    void attempt(database.query("delete from kept_answers where at < $1", [oldest()]));
  };

  return {
    async put(keeper, { id, itemIds, sessionId, body }) {
      const values = [keeper, id, sessionId, now(), sealer.seal(body), [...new Set(itemIds)]];
      const put = attempt(database.query(putSql, values, "keep answer"));
      await Promise.race([put, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref())]);
      tidy();
    },
    async find(keeper, by) {
      const [sql, id] = "id" in by ? [findSql, by.id] : [findByItemSql, by.itemId];
      const [row] = (await attempt(database.query(sql, [keeper, id, oldest()])))?.rows ?? [];
      return row?.["body"] instanceof Uint8Array ? String(sealer.open(row["body"])) : undefined;
    },
    async removeSession(sessionId) {
      await attempt(database.query("delete from kept_answers where session_id = $1", [sessionId]));
    },
    close: () => undefined,
  };
}
