import { existsSync } from "node:fs";
import { join } from "node:path";
import { assertWellFormedTurn, type EventEnvelope, type NativeClient } from "@caret/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GatewayProcess } from "../clients/gateway-process.ts";
import { FleetHome } from "./fleet-home.ts";

/** One database, two gateways without agents, one worker. */
let fleet: FleetHome;
let one: GatewayProcess;
let other: GatewayProcess;
let [atOne, atOther]: NativeClient[] = [];
beforeAll(async () => {
  fleet = await FleetHome.open();
  // The first makes the tables.
  await fleet.worker("worker");
  [one, other] = await Promise.all([fleet.gateway("one"), fleet.gateway("other")]);
  [atOne, atOther] = [fleet.client(one), fleet.client(other)];
});
afterAll(() => fleet.remove());

const clients = (): readonly [NativeClient, NativeClient] => {
  if (atOne === undefined || atOther === undefined) throw new Error("The fleet did not start");
  return [atOne, atOther];
};

async function untilEnd(client: NativeClient, sessionId: string): Promise<readonly EventEnvelope[]> {
  const events: EventEnvelope[] = [];
  for await (const batch of client.followEvents(sessionId, { after: 0, signal: AbortSignal.timeout(30_000) })) {
    events.push(...batch);
    if (events.at(-1)?.event.type === "turn-end") break;
  }
  return events;
}

/** Resolves with the request that the session's turn waits with, as a list of sessions shows it. */
async function waiting(client: NativeClient, sessionId: string): Promise<string> {
  const status = async () => (await client.getSession(sessionId)).status;
  await expect.poll(async () => (await status()).kind, { timeout: 20_000 }).toBe("waiting");
  const shown = await status();
  return shown.kind === "waiting" ? (shown.approval?.requestId ?? "") : "";
}

async function chat({ url, token }: GatewayProcess, body: object): Promise<Record<string, never>> {
  const response = await fetch(new URL("/v1/chat/completions", url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, never>;
}

describe("a session of a fleet", () => {
  it("is made at one gateway, worked on by a worker and followed at another gateway", async () => {
    const [first, second] = clients();
    const session = await first.createSession({ workspace: fleet.home.workspace, permission: "full" });
    const { turnId } = await first.startTurn(session.id, { prompt: "Say hello" });
    const events = await untilEnd(second, session.id);
    assertWellFormedTurn(events.map(({ event }) => event));
    expect({ seqs: events.map(({ seq }) => seq), turns: new Set(events.map((event) => event.turnId)) }).toEqual({
      seqs: events.map((_, index) => index + 1),
      turns: new Set([turnId]),
    });
    expect(await second.getSession(session.id)).toMatchObject({
      status: { kind: "ended", turnId, outcome: "completed" },
    });
  });
});

describe("a turn that a worker runs", () => {
  it("asks a person at any gateway, and does what was approved at another one", async () => {
    const [first, second] = clients();
    const session = await first.createSession({ workspace: fleet.home.workspace, permission: "supervised" });
    await first.startTurn(session.id, { prompt: "Run `touch made.txt`" });
    const asked = await waiting(second, session.id);
    await second.answerApproval(session.id, asked, { decision: "approved" });
    const events = await untilEnd(first, session.id);
    expect(events.flatMap(({ event }) => (event.type === "approval-answer" ? [event.decision] : []))).toEqual([
      "approved",
    ]);
    expect(existsSync(join(fleet.home.workspace, "made.txt"))).toBe(true);
  });

  it("is stopped at another gateway than the one it was started at", async () => {
    const [first, second] = clients();
    const session = await first.createSession({ workspace: fleet.home.workspace, permission: "supervised" });
    const { turnId } = await first.startTurn(session.id, { prompt: "Run `sleep 60`" });
    await waiting(second, session.id);
    await second.cancelTurn(session.id, turnId);
    expect((await untilEnd(first, session.id)).at(-1)?.event).toMatchObject({ outcome: { kind: "cancelled" } });
  });
});

describe("a tool call that is parked on a worker", () => {
  it("is answered through another gateway when the first one was killed between the requests", async () => {
    const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    const tools = [{ type: "function", function: { name: "read_file", parameters } }];
    const question = { role: "user", content: "Please read the file a.txt with read_file" };
    const asked = await chat(one, { model: "auto", tools, messages: [question] });
    const message = (asked["choices"] as unknown as [{ message: { tool_calls: [{ id: string }] } }])[0].message;
    one.kill("SIGKILL");
    const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "forty-two" };
    const answered = await chat(other, { model: "auto", tools, messages: [question, message, result] });
    expect(answered).toMatchObject({
      choices: [{ message: { content: expect.stringContaining("forty-two") }, finish_reason: "stop" }],
    });
    // The very same turn went on: no second agent was started for it.
    expect(fleet.home.prompts().filter((prompt) => prompt.includes("read_file"))).toHaveLength(1);
  });
});

describe("a token that a gateway of a fleet makes", () => {
  it("works there at once: a browser that signs in asks before the hint about its token arrives", async () => {
    const [, second] = clients();
    const statuses: number[] = [];
    for (const name of Array.from({ length: 10 }, (_, index) => `at-once-${index}`)) {
      const { token } = await second.createToken(name);
      const headers = { authorization: `Bearer ${token}` };
      statuses.push((await fetch(new URL("/v1/models", other.url), { headers })).status);
    }
    expect(statuses).toEqual(Array(10).fill(200));
  });
});
