import { CaretError, tokenScopes } from "@caret/protocol";
import {
  madeBy,
  makerRevoked,
  type TokenEntry,
  type TokenShelf,
  tokenNameTaken,
  unknownToken,
} from "@caret/runtime/tokens/token-shelf.ts";
import type { Database, Queries, Row } from "../database/open-database.ts";
import { toPayloads } from "../wire/hint.ts";
import { CHANNEL } from "../wire/notifier.ts";

export interface PostgresTokens extends TokenShelf {
  /** Changes whenever a token is added or revoked. */
  version(): Promise<number>;
  /** Records when tokens were last used, by name; never moves a known time back. */
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;
  readUses(): Promise<Readonly<Record<string, number>>>;
}

const insertSql = `
  insert into tokens
    (name, sha256, cookie_sha256, scopes, user_name, team_name, sees_all, workspace, created_at, revoked_at, made_by,
      made_by_name, change)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
`;

export function createPostgresTokens(database: Database): PostgresTokens {
  /** Serialises changes, so a gateway that has seen a number has seen all changes before it. */
  const change = async <Outcome>(work: (queries: Queries, number: number) => Promise<Outcome>): Promise<Outcome> =>
    await database.transaction(async (queries) => {
      await queries.query("lock table tokens in share row exclusive mode");
      const outcome = await work(queries, (await newest(queries)) + 1);
      for (const payload of toPayloads([{ kind: "token", id: "all" }]))
        await queries.query("select pg_notify($1, $2)", [CHANNEL, payload]);
      return outcome;
    });

  const revokeAll = async (
    queries: Queries,
    gone: readonly TokenEntry[],
    at: number,
    number: number,
  ): Promise<void> => {
    const sql = "update tokens set revoked_at = coalesce(revoked_at, $2), change = $3 where sha256 = any($1)";
    await queries.query(sql, [gone.map(({ sha256 }) => sha256), at, number]);
  };

  return {
    list: () => listed(database),
    add: (token) =>
      change(async (queries, number) => {
        const { rows } = await queries.query("select revoked_at from tokens where name = $1", [token.name]);
        if (rows.some((row) => row["revoked_at"] === null)) throw tokenNameTaken(token.name);
        if (token.madeBy !== undefined && (await isRevoked(queries, token.madeBy.sha256)))
          throw makerRevoked(token.madeBy);
        await queries.query("delete from tokens where name = $1", [token.name]);
        await queries.query(insertSql, [...toValues(token), number]);
      }),
    revoke: (name, at) =>
      change(async (queries, number) => {
        const all = await listed(queries);
        const token = all.find((entry) => entry.name === name);
        if (token === undefined) throw unknownToken(name);
        await revokeAll(queries, [token, ...madeBy(all, [token.sha256])], at, number);
        const made = madeBy(await listed(queries), [token.sha256]);
        return [{ ...token, revokedAt: token.revokedAt ?? at }, ...made];
      }),
    revokeMadeBy: (makers, at) =>
      change(async (queries, number) => {
        await revokeAll(queries, madeBy(await listed(queries), makers), at, number);
        return madeBy(await listed(queries), makers);
      }),
    version: () => newest(database),
    async noteUses(uses) {
      if (uses.size === 0) return;
      await database.query(
        `update tokens set used_at = greatest(coalesce(used_at, 0), noted.at)
         from unnest($1::text[], $2::bigint[]) as noted (name, at) where tokens.name = noted.name`,
        [[...uses.keys()], [...uses.values()]],
      );
    },
    async readUses() {
      const { rows } = await database.query("select name, used_at from tokens where used_at is not null");
      return Object.fromEntries(rows.map((row) => [String(row["name"]), Number(row["used_at"])]));
    },
  };
}

async function listed(queries: Queries): Promise<readonly TokenEntry[]> {
  return (await queries.query("select * from tokens order by created_at, name")).rows.map(toEntry);
}

async function isRevoked(queries: Queries, sha256: string): Promise<boolean> {
  const sql = "select 1 from tokens where sha256 = $1 and revoked_at is not null";
  return (await queries.query(sql, [sha256])).rows.length > 0;
}

async function newest(queries: Queries): Promise<number> {
  return Number((await queries.query("select coalesce(max(change), 0) as change from tokens")).rows[0]?.["change"]);
}

function toValues(token: TokenEntry): readonly unknown[] {
  const { name, sha256, cookieSha256, scopes, user, team, seesAll, workspace, createdAt, revokedAt } = token;
  const rest = [user ?? null, team ?? null, seesAll ?? false, workspace ?? null, createdAt, revokedAt ?? null];
  const maker = [token.madeBy?.sha256 ?? null, token.madeBy?.name ?? null];
  return [name, sha256, cookieSha256 ?? null, [...scopes], ...rest, ...maker];
}

function toEntry(row: Row): TokenEntry {
  const scopes = row["scopes"];
  if (!Array.isArray(scopes)) throw new CaretError("storage-failed", "The scopes of a token cannot be read");
  return {
    name: String(row["name"]),
    sha256: String(row["sha256"]),
    ...text("cookieSha256", row["cookie_sha256"]),
    // Ignores scopes that only another release knows.
    scopes: tokenScopes.filter((scope) => scopes.includes(scope)),
    ...text("user", row["user_name"]),
    ...text("team", row["team_name"]),
    ...(row["sees_all"] === true ? { seesAll: true } : {}),
    ...text("workspace", row["workspace"]),
    ...(row["made_by"] === null
      ? {}
      : { madeBy: { name: String(row["made_by_name"]), sha256: String(row["made_by"]) } }),
    createdAt: Number(row["created_at"]),
    ...(row["revoked_at"] === null ? {} : { revokedAt: Number(row["revoked_at"]) }),
  };
}

function text<Name extends string>(name: Name, value: unknown): { readonly [key in Name]?: string } {
  return (value === null ? {} : { [name]: String(value) }) as { readonly [key in Name]?: string };
}
