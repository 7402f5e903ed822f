import { afterAll, beforeAll, expect, it } from "vitest";
import type { GatewayProcess } from "../clients/gateway-process.ts";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";

/** The smallest fleet: a gateway, and a worker that runs what it is asked for. */
let fleet: FleetHome;
let worker: WorkerProcess;
let gateway: GatewayProcess;
beforeAll(async () => {
  fleet = await FleetHome.open();
  [worker, gateway] = await Promise.all([fleet.worker("worker"), fleet.gateway("gateway")]);
});
afterAll(() => fleet.remove());

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(new URL(path, gateway.url), {
    ...init,
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
  });
const complete = (): Promise<Response> =>
  ask("/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "Say hello" }] }),
  });

it("runs a turn that is followed at the gateway to its end, and one of a stateless door", async () => {
  const client = fleet.client(gateway);
  const { id } = await client.createSession({ workspace: fleet.home.workspace });
  const { turnId } = await client.startTurn(id, { prompt: "Say hello" });
  const leave = new AbortController();
  let outcome: unknown;
  for await (const events of client.followEvents(id, { after: 0, signal: leave.signal }))
    for (const { event } of events)
      if (event.type === "turn-end") {
        outcome = event.outcome;
        leave.abort();
      }
  const listed = await client.listSessions();
  expect([outcome, listed.sessions.map((session) => session.id), turnId]).toEqual([
    { kind: "completed" },
    [id],
    expect.any(String),
  ]);
  const answer = await complete();
  expect([answer.status, await answer.json()]).toMatchObject([200, { choices: [{ finish_reason: "stop" }] }]);
});

it("is not ready while the database takes no writes, says so in a way that can be tried again, and goes on by itself", async () => {
  const set = (value: string): void => {
    fleet.server.run("psql", ["-qXc", `alter system set default_transaction_read_only = ${value}`]);
    fleet.server.run("psql", ["-qXc", "select pg_reload_conf()"]);
  };
  const readiness = async (): Promise<unknown> => {
    const response = await ask("/readyz");
    const { ready, storage } = (await response.json()) as { readonly ready: unknown; readonly storage: unknown };
    return { status: response.status, ready, storage };
  };
  const detail = "The database takes no writes: it is a standby, or set to read-only";
  expect(await readiness()).toEqual({ status: 200, ready: true, storage: { ready: true } });
  set("on");
  await expect.poll(readiness).toEqual({ status: 503, ready: false, storage: { ready: false, detail } });
  const created = fleet.client(gateway).createSession({ workspace: fleet.home.workspace });
  await expect(created).rejects.toMatchObject({ code: "storage-failed", retryable: true, message: detail });
  const answer = await complete();
  expect([answer.status, await answer.json()]).toMatchObject([
    424,
    { error: { code: "storage_failed", message: expect.stringContaining(detail) } },
  ]);
  set("off");
  await expect.poll(readiness).toEqual({ status: 200, ready: true, storage: { ready: true } });
  expect((await complete()).status).toBe(200);
});

it("ends a worker without a turn at once when it is asked to", async () => {
  worker.kill("SIGTERM");
  expect(await worker.exited).toEqual([0, null]);
});
