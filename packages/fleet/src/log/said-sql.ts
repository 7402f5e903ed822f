import type { SessionScope } from "@caret/runtime/log/event-store.ts";
import {
  type FoundPiece,
  GOOD_DEAL,
  toFound,
  toUnsaid,
  type UnsaidSession,
} from "@caret/runtime/log/rows/said-rows.ts";
import type { SaidPiece } from "@caret/runtime/log/search/said-pieces.ts";
import type { SaidQuery } from "@caret/runtime/log/search/said-query.ts";
import { type SearchTerm, wordsOf } from "@caret/runtime/log/search/search-words.ts";
import type { Queries } from "../database/open-database.ts";
import { scopeSql, scopeValues } from "./scope-sql.ts";

/** Pieces per millisecond that keep their order. */
const PER_MS = 1_024;
/** Limits of a `tsvector`: word length and position. */
const LONGEST_WORD = 500;
const LAST_PLACE = 16_383;

const behindSql = "select id, workspace, said_seq from sessions where last_seq > said_seq and hidden is null";

const insertSql = `
  insert into said (id, session_id, turn_id, kind, first_seq, last_seq, at, words)
  values ($1::bigint * ${PER_MS} + nextval('said_number') % ${PER_MS}, $2, $3, $4, $5, $6, $1, $7::tsvector)
  on conflict (id) do nothing
`;

const findSql = (scope: SessionScope): string => `
  select said.id, session_id, turn_id, kind, first_seq, said.last_seq, at from said join sessions on sessions.id = session_id
  where words @@ $1::tsquery and said.id < $2 and hidden is null
    and ($3::text is null or session_id = $3) and ${scopeSql(["$4", "$5", "$6"], scope)}
  order by said.id desc limit $7
`;

/** The next session after this id whose index is behind. One at a time, since each uses a connection of the pool. */
export async function findBehind(queries: Queries, afterId: string): Promise<readonly UnsaidSession[]> {
  const sql = `${behindSql} and id > $1 and (last_outcome is not null or last_seq - said_seq >= ${GOOD_DEAL}) order by id limit 1`;
  return (await queries.query(sql, [afterId])).rows.map(toUnsaid);
}

export async function findBehindIn(queries: Queries, sessionId: string): Promise<UnsaidSession | undefined> {
  return (await queries.query(`${behindSql} and id = $1`, [sessionId])).rows.map(toUnsaid)[0];
}

export async function countBehind(queries: Queries): Promise<number> {
  const sql = "select count(*) as count from sessions where last_seq > said_seq and hidden is null";
  return Number((await queries.query(sql)).rows[0]?.["count"]);
}

/** Returns false if the index has moved since the caller read it: another process was first. */
export async function insertSaid(
  queries: Queries,
  { id, saidSeq }: UnsaidSession,
  pieces: readonly SaidPiece[],
  throughSeq: number,
): Promise<boolean> {
  const advanceSql = "update sessions set said_seq = $1 where id = $2 and said_seq = $3";
  if ((await queries.query(advanceSql, [throughSeq, id, saidSeq])).count === 0) return false;
  for (const { turnId, kind, firstSeq, lastSeq, at, text } of pieces) {
    const values = [at, id, turnId, kind, firstSeq, lastSeq, vectorOf(text)];
    // The number was taken by another piece: try the next.
    while ((await queries.query(insertSql, values, "said-insert")).count === 0);
  }
  return true;
}

export async function findSaid(
  queries: Queries,
  terms: readonly SearchTerm[],
  query: SaidQuery & { readonly limit: number },
): Promise<readonly FoundPiece[]> {
  const { sessionId, before, limit } = query;
  const { rows } = await queries.query(findSql(query), [
    terms.map(queryOf).join(" & "),
    before ?? Number.MAX_SAFE_INTEGER,
    sessionId ?? null,
    ...scopeValues(query),
    limit,
  ]);
  return rows.map(toFound);
}

/** Words are only letters and digits, so nothing in them is tsquery syntax. */
function vectorOf(text: string): string {
  return wordsOf(text)
    .map(({ word }, index) => `${word.slice(0, LONGEST_WORD)}:${Math.min(index + 1, LAST_PLACE)}`)
    .join(" ");
}

function queryOf({ words, isPrefix }: SearchTerm): string {
  const lexemes = words.map((word) => word.slice(0, LONGEST_WORD));
  return `(${lexemes.join(" <-> ")}${isPrefix ? ":*" : ""})`;
}
