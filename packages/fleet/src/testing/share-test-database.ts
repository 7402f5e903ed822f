import { afterAll, beforeAll } from "vitest";
import { startPostgres } from "./postgres-server.ts";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";

/** Starts a server with a database for one test file and stops it after the tests. */
export function shareTestDatabase(take: (database: TestDatabase) => void): void {
  let close: () => Promise<void>;
  beforeAll(async () => {
    const server = await startPostgres();
    const database = await createTestDatabase(server);
    close = async () => {
      await database.close();
      await server.stop();
    };
    take(database);
  });
  afterAll(() => close());
}
