import { CaretError, tokenScopes } from "@caret/protocol";
import { type TokenEntry, type TokenShelf, tokenNameTaken, unknownToken } from "@caret/runtime/tokens/token-shelf.ts";
import type { Database, Queries, Row } from "../database/open-database.ts";
import { toPayloads } from "../wire/hint.ts";
import { CHANNEL } from "../wire/notifier.ts";

/** The tokens of a fleet. */
export interface PostgresTokens extends TokenShelf {
  /** Another number than before when a token was added or revoked since. */
  version(): Promise<number>;
  /** When tokens were used last, by their names; what is older than what is known counts for nothing. */
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;
  readUses(): Promise<Readonly<Record<string, number>>>;
}

const insertSql = `
  insert into tokens
    (name, sha256, cookie_sha256, scopes, user_name, team_name, sees_all, workspace, created_at, revoked_at, change)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
`;

export function createPostgresTokens(database: Database): PostgresTokens {
  /** One change at a time: a gateway that has seen a number has seen all changes before it. */
  const change = async <Outcome>(work: (queries: Queries, number: number) => Promise<Outcome>): Promise<Outcome> =>
    await database.transaction(async (queries) => {
      await queries.query("lock table tokens in share row exclusive mode");
      const outcome = await work(queries, (await newest(queries)) + 1);
      for (const payload of toPayloads([{ kind: "token", id: "all" }]))
        await queries.query("select pg_notify($1, $2)", [CHANNEL, payload]);
      return outcome;
    });

  return {
    async list() {
      return (await database.query("select * from tokens order by created_at, name")).rows.map(toEntry);
    },
    add: (token) =>
      change(async (queries, number) => {
        const { rows } = await queries.query("select revoked_at from tokens where name = $1", [token.name]);
        if (rows.some((row) => row["revoked_at"] === null)) throw tokenNameTaken(token.name);
        await queries.query("delete from tokens where name = $1", [token.name]);
        await queries.query(insertSql, [...toValues(token), number]);
      }),
    revoke: (name, at) =>
      change(async (queries, number) => {
        const sql = `update tokens set revoked_at = coalesce(revoked_at, $2), change = $3 where name = $1 returning *`;
        const [row] = (await queries.query(sql, [name, at, number])).rows;
        if (row === undefined) throw unknownToken(name);
        return toEntry(row);
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

async function newest(queries: Queries): Promise<number> {
  return Number((await queries.query("select coalesce(max(change), 0) as change from tokens")).rows[0]?.["change"]);
}

function toValues(token: TokenEntry): readonly unknown[] {
  const { name, sha256, cookieSha256, scopes, user, team, seesAll, workspace, createdAt, revokedAt } = token;
  const rest = [user ?? null, team ?? null, seesAll ?? false, workspace ?? null, createdAt, revokedAt ?? null];
  return [name, sha256, cookieSha256 ?? null, [...scopes], ...rest];
}

function toEntry(row: Row): TokenEntry {
  const scopes = row["scopes"];
  if (!Array.isArray(scopes)) throw new CaretError("storage-failed", "The scopes of a token cannot be read");
  return {
    name: String(row["name"]),
    sha256: String(row["sha256"]),
    ...text("cookieSha256", row["cookie_sha256"]),
    // A scope that another release knew allows nothing here.
    scopes: tokenScopes.filter((scope) => scopes.includes(scope)),
    ...text("user", row["user_name"]),
    ...text("team", row["team_name"]),
    ...(row["sees_all"] === true ? { seesAll: true } : {}),
    ...text("workspace", row["workspace"]),
    createdAt: Number(row["created_at"]),
    ...(row["revoked_at"] === null ? {} : { revokedAt: Number(row["revoked_at"]) }),
  };
}

function text<Name extends string>(name: Name, value: unknown): { readonly [key in Name]?: string } {
  return (value === null ? {} : { [name]: String(value) }) as { readonly [key in Name]?: string };
}
