import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { askRaw } from "./dialogue/raw-conversation.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";
import { findVictims } from "./victims.ts";

const read = (path: string) => ({ tool: { server: "caret", name: "read", args: { path } } });
const reader = { turns: [[read("one.txt"), read("two.txt"), read("three.txt"), { text: "All done." }]] };

let home: GatewayHome;
let gateway: GatewayProcess;
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await gateway.stop();
  home.remove();
});

async function start(env: Readonly<Record<string, string>>): Promise<void> {
  home = new GatewayHome(reader);
  gateway = await startGateway(home, { env });
}

/** A client that is a process of its own: it asks, is given a call, and takes for ever over it. */
async function startClient(): Promise<ChildProcess> {
  const body = {
    model: "auto",
    messages: [{ role: "user", content: `Read, ${crypto.randomUUID()}` }],
    tools: [{ type: "function", function: { name: "read", parameters: { type: "object" } } }],
  };
  const headers = { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" };
  const script = `
    const response = await fetch(${JSON.stringify(`${gateway.url}/v1/chat/completions`)}, {
      method: "POST", headers: ${JSON.stringify(headers)}, body: JSON.stringify(${JSON.stringify(body)}),
    });
    console.log((await response.json()).choices[0].finish_reason);
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  expect(said.toString().trim()).toBe("tool_calls");
  return child;
}

const agents = (): readonly number[] => findVictims(home, "agent");

it("a client that is killed while it runs a tool frees its agent long before the tool's time is over, and no other", async () => {
  await start({ CARET_CLOCKS_GONE_MS: "1000" });
  const waiting = await startClient();
  const kept = agents();
  const killed = await startClient();
  expect(agents().length).toBeGreaterThan(kept.length);
  killed.kill("SIGKILL");
  await expect.poll(agents, { timeout: 20_000 }).toEqual(kept);
  expect(waiting.exitCode).toBe(null);
});

it("a client that never comes back leaves no agent that works on alone", async () => {
  await start({ CARET_CLOCKS_TOOL_MS: "2000" });
  const { session } = await askRaw(gateway, { door: "chat completions", transcript: [{ user: "Read." }] });
  await expect.poll(agents, { timeout: 20_000 }).toEqual([]);
  const response = await fetch(`${gateway.url}/api/sessions/${session}/log?limit=200`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  const { events } = (await response.json()) as { events: readonly { event: { type: string; outcome?: unknown } }[] };
  expect({
    calls: events.filter(({ event }) => event.type === "tool-call").length,
    end: events.at(-1)?.event.outcome,
  }).toEqual({ calls: 1, end: { kind: "cancelled" } });
});
