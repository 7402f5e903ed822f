import { execFileSync } from "node:child_process";
import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { caret } from "../clients/gateway-process.ts";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";

let fleet: FleetHome;
let worker: WorkerProcess;
beforeAll(async () => {
  fleet = await FleetHome.open();
  worker = await fleet.worker("worker", { CARET_FLEET_METRICS_PORT: "0", CARET_FLEET_CAPACITY: "7" });
});
afterAll(() => fleet.remove());

interface Asked {
  readonly token?: string;
  readonly host?: string;
}

/** As `fetch`, which chooses its Host header itself. */
async function ask(path: string, { token, host }: Asked = {}): Promise<readonly [status: number, body: string]> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(host === undefined ? {} : { host }),
  };
  return await new Promise((resolve, reject) => {
    request(new URL(path, worker.metricsUrl), { headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve([response.statusCode ?? 0, body]));
    })
      .on("error", reject)
      .end();
  });
}

/** A token of the worker's data directory. */
function makeToken(name: string, scope: string): string {
  const words = [caret, "token", "create", name, "--scope", scope, "--json"];
  const printed = execFileSync(process.execPath, words, { env: fleet.environment("worker"), encoding: "utf8" });
  return (JSON.parse(printed) as { readonly secret: string }).secret;
}

const figures = async (token: string): Promise<Readonly<Record<string, number>>> => {
  const [, body] = await ask("/metrics", { token });
  const lines = body.split("\n").filter((line) => line.startsWith("caret_") && !line.includes("_request"));
  return Object.fromEntries(lines.map((line) => [line.replace(/ .*/, ""), Number(line.replace(/.* /, ""))]));
};

it("a worker with a metrics port listens on loopback and is as careful as a gateway: Host, token and scope", async () => {
  const token = makeToken("prometheus", "metrics");
  const models = makeToken("models", "models");
  expect(worker.metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const statuses = [
    await ask("/healthz"),
    await ask("/healthz", { host: "evil.example" }),
    await ask("/metrics"),
    await ask("/metrics", { token: models }),
    await ask("/metrics", { token, host: "evil.example" }),
    await ask("/metrics", { token }),
    await ask("/api/sessions", { token }),
  ].map(([status]) => status);
  expect(statuses).toEqual([200, 403, 401, 403, 403, 200, 404]);
  expect(JSON.parse((await ask("/healthz"))[1])).toMatchObject({ ok: true });
});

it("shows what the worker can hold and holds, what it has appended, and how often it renewed its leases", async () => {
  const token = makeToken("grafana", "metrics");
  expect(await figures(token)).toMatchObject({
    caret_worker_capacity: 7,
    caret_worker_claims: 0,
    caret_worker_claims_total: 0,
    caret_turns_running: 0,
    'caret_worker_leases_lost_total{what="claim"}': 0,
    'caret_worker_leases_lost_total{what="session"}': 0,
  });
  const client = fleet.client(await fleet.gateway("gateway"));
  const { id } = await client.createSession({ workspace: fleet.home.workspace, permission: "full" });
  const { turnId } = await client.startTurn(id, { prompt: "Run `sleep 4`" });
  await expect
    .poll(() => figures(token))
    .toMatchObject({
      caret_worker_claims: 1,
      caret_worker_claims_total: 1,
      caret_turns_running: 1,
    });
  await expect.poll(async () => (await client.getSession(id)).status).toMatchObject({ kind: "ended", turnId });
  await expect.poll(async () => (await figures(token))["caret_worker_claims"]).toBe(0);
  const after = await figures(token);
  expect(after).toMatchObject({ 'caret_turn_ends_total{outcome="completed"}': 1, caret_turns_running: 0 });
  expect(after["caret_worker_appends_total"]).toBeGreaterThan(1);
  expect(after["caret_worker_lease_renewals_total"]).toBeGreaterThan(0);
});
