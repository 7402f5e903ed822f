import { hash } from "node:crypto";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type FoundPiece, GOOD_DEAL, toFound, toUnsaid, type UnsaidSession } from "../rows/said-rows.ts";
import type { SaidPiece } from "../search/said-pieces.ts";
import type { SaidQuery } from "../search/said-query.ts";
import { type SearchTerm, toIndexText } from "../search/search-words.ts";
import { scopeParameters, scopeSql } from "./scope-filter.ts";

/** Ids available per millisecond; further pieces get the ids of later ones. */
const PER_MS = 256;
/** Short sessions indexed in one transaction, within a millisecond or two: FTS5 writes an index segment for each transaction. */
const TOGETHER = 8;

export interface SaidTable {
  /** The next sessions after this id whose index is behind. A running turn must have enough new events to be worth it. */
  behind(afterId: string): readonly UnsaidSession[];
  /** The session, if its index is behind. */
  behindIn(sessionId: string): UnsaidSession | undefined;
  countBehind(): number;
  /** Returns whether the index was still where the caller started reading: another process may have advanced it. */
  insert(session: UnsaidSession, pieces: readonly SaidPiece[], throughSeq: number): boolean;
  find(terms: readonly SearchTerm[], query: SaidQuery & { readonly limit: number }): readonly FoundPiece[];
  /** Deletes up to `count` of a session's pieces. Returns whether there were any. */
  removeSome(sessionId: string, count: number): boolean;
}

const behindSql = "select id, workspace, said_seq from session where last_seq > said_seq and hidden is null";
const worthwhileSql = `(last_outcome is not null or last_seq - said_seq >= ${GOOD_DEAL})`;

const findSql = `
  select said.* from said_word join said on said.id = said_word.rowid join session on session.id = said.session_id
  where said_word match $match and said_word.rowid < $before and session.hidden is null
    and ($sessionId is null or said.session_id = $sessionId) and ${scopeSql}
  order by said_word.rowid desc limit $limit
`;

export function createSaidTable(database: DatabaseSync): SaidTable {
  const behind = database.prepare(`${behindSql} and ${worthwhileSql} and id > ? order by id limit ${TOGETHER}`);
  const behindIn = database.prepare(`${behindSql} and id = ?`);
  const count = database.prepare(`select count(*) as count from (${behindSql} and ${worthwhileSql})`);
  const advance = database.prepare("update session set said_seq = ? where id = ? and said_seq = ?");
  const newest = database.prepare("select max(id) as id from said where id between ? and ?");
  const insertSaid = database.prepare("insert into said values (?, ?, ?, ?, ?, ?, ?)");
  const insertWords = database.prepare("insert into said_word (rowid, scope, words) values (?, ?, ?)");
  const find = database.prepare(findSql);
  const remove = database.prepare("delete from said where id in (select id from said where session_id = ? limit ?)");

  /** The first free id for a time: earlier ids of the same millisecond were said earlier. */
  function freeId(at: number): number {
    let start = at * PER_MS;
    for (;;) {
      const taken = newest.get(start, start + PER_MS - 1)?.["id"] ?? null;
      if (taken === null) return start;
      if (Number(taken) < start + PER_MS - 1) return Number(taken) + 1;
      start += PER_MS;
    }
  }

  return {
    behind: (afterId) => behind.all(afterId).map(toUnsaid),
    behindIn(sessionId) {
      const row = behindIn.get(sessionId);
      return row && toUnsaid(row);
    },
    countBehind: () => Number(count.get()?.["count"]),
    insert({ id, workspace, saidSeq }, pieces, throughSeq) {
      if (advance.run(throughSeq, id, saidSeq).changes === 0) return false;
      const scope = [sessionWord(id), ...directoryWords(workspace)].join(" ");
      for (const { turnId, kind, firstSeq, lastSeq, at, text } of pieces) {
        const row = freeId(at);
        insertSaid.run(row, id, turnId, kind, firstSeq, lastSeq, at);
        insertWords.run(row, scope, toIndexText(text));
      }
      return true;
    },
    find(terms, { sessionId, workspace, user, before, limit }) {
      const $match = [...terms.map(matchOf), ...scopesOf(sessionId, workspace)].join(" AND ");
      const $before = before ?? Number.MAX_SAFE_INTEGER;
      const $sessionId = sessionId ?? null;
      const scope = scopeParameters({
        ...(workspace === undefined ? {} : { workspace }),
        ...(user === undefined ? {} : { user }),
      });
      return find.all({ $match, $before, $sessionId, $limit: limit, ...scope }).map(toFound);
    },
    removeSome: (sessionId, most) => Number(remove.run(sessionId, most).changes) > 0,
  };
}

/** Words are letters and digits, so they cannot contain syntax of the index's query language. */
function matchOf({ words, isPrefix }: SearchTerm): string {
  return `words : "${words.join(" ")}"${isPrefix ? " *" : ""}`;
}

function scopesOf(sessionId: string | undefined, workspace: string | undefined): readonly string[] {
  const wanted = [
    ...(sessionId === undefined ? [] : [sessionWord(sessionId)]),
    ...(workspace === undefined ? [] : [directoryWord(workspace)]),
  ];
  return wanted.map((word) => `scope : "${word}"`);
}

function sessionWord(sessionId: string): string {
  return `s${digest(sessionId)}`;
}

function directoryWord(directory: string): string {
  return `d${digest(directory)}`;
}

function directoryWords(workspace: string): readonly string[] {
  const parent = dirname(workspace);
  return [directoryWord(workspace), ...(parent === workspace ? [] : directoryWords(parent))];
}

/** A short word for any text. Collisions only cost time: results are compared by the texts themselves. */
function digest(text: string): string {
  return hash("sha256", text, "hex").slice(0, 16);
}
