import { CaretError, Secret } from "@caret/protocol";

const DEFAULT_SCHEMA = "caret";
const schemaPattern = /^[a-z_][a-z0-9_]{0,62}$/;

/** Where the database is. The whole address is a secret, since it can hold a password. */
export interface DatabaseAddress {
  readonly url: Secret;
  /** The schema for Caret's tables: `?schema=…` of the address. Default: `caret`. */
  readonly schema: string;
  /** Host and database, for people. Omits user, password and options. */
  readonly place: string;
}

/** Throws `invalid-config`; the error does not quote the address. */
export function readDatabaseAddress(text: string): DatabaseAddress {
  const url = URL.parse(text);
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol))
    throw new CaretError("invalid-config", "The store is not a PostgreSQL address", { fix });
  const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  if (!schemaPattern.test(schema))
    throw new CaretError("invalid-config", "The schema of the store is not a name that PostgreSQL takes unquoted", {
      fix: "Use small letters, digits and underscores, 63 at most.",
    });
  url.searchParams.delete("schema");
  const host = url.searchParams.get("host") ?? url.host;
  return { url: new Secret(url.href), schema, place: `${host}${url.pathname}` };
}

const fix = "Write it as postgres://USER@HOST:PORT/DATABASE, with `?sslmode=verify-full` over a network.";
