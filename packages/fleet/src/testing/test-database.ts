import { readDatabaseAddress } from "../database/database-address.ts";
import { migrateDatabase } from "../database/migrate-database.ts";
import { type Database, openDatabase } from "../database/open-database.ts";
import type { PostgresServer } from "./postgres-server.ts";

/** A migrated database that the tests of one file share: `empty` deletes the rows. */
export interface TestDatabase extends Database {
  readonly url: string;
  empty(): Promise<void>;
}

export async function createTestDatabase(server: PostgresServer, name = "caret_test"): Promise<TestDatabase> {
  const url = server.createDatabase(name);
  const database = openDatabase(readDatabaseAddress(url));
  await migrateDatabase(database);
  return {
    ...database,
    url,
    async empty() {
      const { rows } = await database.query(
        `select string_agg(format('delete from %I', relname), ';' order by relname) as sql from pg_class
         where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
           and relname not in ('schema_migrations', 'sessions')`,
      );
      await database.query(`${String(rows[0]?.["sql"])}; delete from sessions`);
    },
  };
}
