import { spawn } from "node:child_process";
import { once } from "node:events";
import { migrateDatabase, openDatabase, readDatabaseAddress, roleGrants } from "@caret/fleet";
import { afterAll, beforeAll, expect, it } from "vitest";
import { caret } from "../clients/gateway-process.ts";
import { FleetHome } from "./fleet-home.ts";

/** The roles are there, and nobody has run `caret store init`. */
let fleet: FleetHome;
beforeAll(async () => {
  fleet = await FleetHome.open();
  fleet.server.run("psql", ["-qX", "-v", "ON_ERROR_STOP=1", "caret_fleet"], roleGrants("caret"));
});
afterAll(() => fleet.remove());

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
  /** From the first word of the error to the end of the process. */
  readonly lingeredMs: number;
}

async function run(command: "serve" | "worker", store: string): Promise<Ended> {
  const port = command === "serve" ? ["--port", "0"] : ["--lane", "sim"];
  const child = spawn(process.execPath, [caret, command, ...port], {
    cwd: fleet.home.workspace,
    env: { ...fleet.environment(command), CARET_STORE: store },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  let saidAt = 0;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    saidAt ||= performance.now();
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stderr, lingeredMs: performance.now() - saidAt };
}

it.each([
  ["serve", "none of the tables"],
  ["worker", "none of the tables"],
  ["serve", "those of the log alone"],
  ["worker", "those of the log alone"],
] as const)("caret %s ends at once where %s were made, and says how to make the rest", async (command, made) => {
  const as = (role: string): string => fleet.url.replace("caret@", `caret_${role}@`);
  if (made === "those of the log alone") {
    const owner = openDatabase(readDatabaseAddress(as("owner")));
    await migrateDatabase(owner);
    await owner.close();
  }
  const { code, stderr, lingeredMs } = await run(command, as(command === "serve" ? "gateway" : "worker"));
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/The database's tables are not up to date[\s\S]*caret(\.js)? store init/),
  ]);
  // An idle connection kept it for thirty seconds.
  expect(lingeredMs).toBeLessThan(10_000);
});
