import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { caret, type GatewayProcess } from "../clients/gateway-process.ts";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";

let fleet: FleetHome;
let laptop: WorkerProcess;
let gateway: GatewayProcess;
beforeAll(async () => {
  fleet = await FleetHome.open();
  laptop = await fleet.worker("laptop", { CARET_FLEET_MACHINE: "laptop" });
  gateway = await fleet.gateway("gateway");
});
afterAll(() => fleet.remove());

async function run(...argv: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [caret, ...argv], {
    cwd: fleet.home.workspace,
    env: fleet.environment("command"),
  });
  return stdout;
}

async function metrics(): Promise<string> {
  const headers = { authorization: `Bearer ${gateway.token}` };
  return await (await fetch(new URL("/metrics", gateway.url), { headers })).text();
}

it("a session whose machine is away says which one it waits for, and runs on the machine that it is moved to", async () => {
  const client = fleet.client(gateway);
  const { id } = await client.createSession({ workspace: fleet.home.workspace, permission: "full" });
  laptop.kill("SIGTERM");
  await laptop.exited;
  const started = client.startTurn(id, { prompt: "Say hello" });
  const status = async () => (await client.getSession(id)).status;
  await expect.poll(status).toMatchObject({ kind: "waiting", waitsFor: "machine", about: "laptop" });
  expect(JSON.parse(await run("sessions", "ls", "--json"))).toMatchObject([{ id, state: "waiting for laptop" }]);
  const waits = {
    queuedTurns: 1,
    runningTurns: 0,
    waiting: [{ sessionId: id, machine: "laptop", reason: "machine-away" }],
  };
  expect(JSON.parse(await run("fleet", "--json"))).toMatchObject(waits);
  expect(await client.fleet()).toMatchObject({ ...waits, members: [{ role: "gateway", state: "there" }] });
  expect(await run("fleet")).toContain("its machine is away");
  await expect.poll(metrics, { timeout: 20_000 }).toMatch(/^caret_fleet_turns_queued 1$/m);
  await fleet.worker("desk", { CARET_FLEET_MACHINE: "desk" });
  expect(await run("sessions", "move", id, "--to", "desk")).toBe(
    `Turns of ${id} run on desk from now on, in ${fleet.home.workspace}.\n`,
  );
  const { turnId } = await started;
  await expect.poll(status).toMatchObject({ kind: "ended", turnId, outcome: "completed" });
});

it("a session is made, and one of a file is imported, on the machine that is named", async () => {
  const client = fleet.client(gateway);
  await fleet.worker("shed", { CARET_FLEET_MACHINE: "shed" });
  const homeOf = (id: string): string =>
    fleet.server
      .run("psql", ["-d", "caret_fleet", "-Atc", `select home_machine from caret.sessions where id = '${id}'`])
      .trim();
  const homes: string[] = [];
  for (const machine of ["desk", "shed"]) {
    const { id } = await client.createSession({ workspace: fleet.home.workspace, permission: "full", machine });
    const { turnId } = await client.startTurn(id, { prompt: `Say ${machine}` });
    const status = async () => (await client.getSession(id)).status;
    await expect.poll(status).toMatchObject({ kind: "ended", turnId, outcome: "completed" });
    const { content } = await client.exportSession(id, "ndjson");
    const imported = await client.importSession(content, { machine });
    expect(imported).toMatchObject({ imported: true, workspace: fleet.home.workspace });
    expect((await client.readLog(imported.id, {})).events.length).toBe((await client.readLog(id, {})).events.length);
    homes.push(homeOf(id), homeOf(imported.id));
    const again = await client.startTurn(imported.id, { prompt: "Say it again" });
    const next = async () => (await client.getSession(imported.id)).status;
    await expect.poll(next).toMatchObject({ kind: "ended", turnId: again.turnId, outcome: "completed" });
  }
  expect(homes).toEqual(["desk", "desk", "shed", "shed"]);
  await expect(client.createSession({ machine: "attic" })).rejects.toMatchObject({
    code: "agent-unavailable",
    message: "Waiting for the machine attic: no worker of it is there",
  });
});
