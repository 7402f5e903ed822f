import { openDatabase, readDatabaseAddress } from "@caret/fleet";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GatewayProcess } from "../clients/gateway-process.ts";
import { FleetHome } from "./fleet-home.ts";

/** Two gateways and two workers, and nothing to do. */
const PROCESSES = 4;
const FOLLOWED = 50;
const MEASURED_MS = isFullRun() ? 20_000 : 6_000;
/** Of each process, in a second. */
const MOST_TRANSACTIONS = 2;

let fleet: FleetHome;
let gateways: readonly GatewayProcess[];
const leave = new AbortController();
beforeAll(async () => {
  fleet = await FleetHome.open();
  const workers = [
    fleet.worker("one", { CARET_FLEET_MACHINE: "one" }),
    fleet.worker("two", { CARET_FLEET_MACHINE: "two" }),
  ];
  await Promise.all(workers);
  gateways = await Promise.all([fleet.gateway("left"), fleet.gateway("right")]);
});
afterAll(async () => {
  leave.abort();
  await fleet.remove();
});

/** How many transactions the fleet's processes commit in a second, by the server's own count. */
async function transactionsPerSecond(): Promise<number> {
  const database = openDatabase(readDatabaseAddress(fleet.url), { maxConnections: 1 });
  // What a backend has counted is in the statistics a second later at most, or when it is idle.
  const sql = "select xact_commit, pg_stat_clear_snapshot() from pg_stat_database where datname = current_database()";
  const count = async (): Promise<number> => Number((await database.query(sql)).rows[0]?.["xact_commit"]);
  const [before, startedAt] = [await count(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, MEASURED_MS));
  const [after, endedAt] = [await count(), performance.now()];
  await database.close();
  return ((after - before) * 1_000) / (endedAt - startedAt);
}

it("a fleet with nothing to do costs its database next to nothing, however many sessions and lists are followed", async () => {
  await expect.poll(transactionsPerSecond, { timeout: 120_000 }).toBeLessThanOrEqual(PROCESSES * MOST_TRANSACTIONS);
  const clients = gateways.map((gateway) => fleet.client(gateway));
  const { signal } = leave;
  for (const client of clients) {
    void follow(client.followUpdates({ signal }));
    for (let count = 0; count < FOLLOWED / clients.length; count += 1) {
      const { id } = await client.createSession({ workspace: fleet.home.workspace });
      void follow(client.followEvents(id, { after: 0, signal }));
    }
  }
  await expect.poll(transactionsPerSecond, { timeout: 120_000 }).toBeLessThanOrEqual(PROCESSES * MOST_TRANSACTIONS);
}, 300_000);

/** Reads until the test leaves. */
async function follow(stream: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of stream);
  } catch {
    // The gateway has ended with the test.
  }
}
