import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { NativeClient } from "@caret/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CuttableSocket, openCuttableSocket } from "./cuttable-socket.ts";
import { FleetHome } from "./fleet-home.ts";

/** An agent and a command of it that heed no polite signal, and write who they are into the ledger for as long as they live. */
const worksAs = (name: string) => ({
  when: `Work as ${name}`,
  steps: [
    { ignoreSignals: ["SIGTERM" as const] },
    { text: "Working." },
    {
      tool: {
        name: "shell",
        args: { command: `trap '' TERM; while :; do echo ${name} >> ledger; sleep 0.05; done` },
      },
    },
  ],
});

let fleet: FleetHome;
let way: CuttableSocket;
let client: NativeClient;
beforeAll(async () => {
  fleet = await FleetHome.open({
    turns: [worksAs("first"), worksAs("second"), { when: "Hello", steps: [{ text: "Hello." }] }],
  });
  const gateway = await fleet.gateway("gateway");
  client = fleet.client(gateway);
  way = openCuttableSocket(new URL(fleet.url).searchParams.get("host") ?? "");
});
afterAll(async () => {
  await fleet.remove();
  way.close();
});

const ledger = (): readonly string[] => {
  const path = join(fleet.home.workspace, "ledger");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
};

async function ended(id: string, turnId: string): Promise<unknown> {
  const status = async () => (await client.getSession(id)).status;
  await expect.poll(status, { timeout: 40_000 }).toMatchObject({ kind: "ended", turnId });
  const ending = await status();
  return ending.kind === "ended" ? ending.outcome : ending;
}

it("the agent of a worker that is cut off is gone before another worker's begins, and the worker works again when it is back", async () => {
  await fleet.worker("cut", { CARET_STORE: way.url(fleet.url), CARET_FLEET_MACHINE: "desk" });
  const { id } = await client.createSession({ workspace: fleet.home.workspace, permission: "full" });
  const { turnId } = await client.startTurn(id, { prompt: "Work as first" });
  await expect.poll(() => ledger().includes("first"), { timeout: 20_000 }).toBe(true);
  const sessions = await Promise.all(
    Array.from({ length: 6 }, () => client.createSession({ workspace: fleet.home.workspace, permission: "full" })),
  );
  const other = await fleet.worker("whole", { CARET_FLEET_MACHINE: "desk" });
  way.cut();
  const first = await ended(id, turnId);
  await client.startTurn(id, { prompt: "Work as second" });
  await expect.poll(() => ledger().filter((name) => name === "second").length, { timeout: 20_000 }).toBeGreaterThan(20);
  const seen = ledger();
  expect([first, seen.slice(seen.indexOf("second")).filter((name) => name === "first")]).toEqual(["failed", []]);
  // Only the one that was cut off is left: what it begins when it is back is not interrupted by its own stale leases.
  other.kill("SIGKILL");
  await other.exited;
  way.mend();
  const turns = await Promise.all(sessions.map((session) => client.startTurn(session.id, { prompt: "Hello" })));
  const ends = await Promise.all(turns.map(({ sessionId, turnId: started }) => ended(sessionId, started)));
  expect(ends).toEqual(sessions.map(() => "completed"));
});
