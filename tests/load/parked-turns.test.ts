import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openChatDialogue } from "../clients/dialogue/chat-dialogue.ts";
import type { Answer, Dialogue } from "../clients/dialogue/dialogue.ts";
import { Kitchen } from "../clients/dialogue/kitchen-tools.ts";
import { GatewayHome } from "../clients/gateway-home.ts";
import { type GatewayProcess, startGateway } from "../clients/gateway-process.ts";
import { findVictims, killVictims } from "../clients/victims.ts";
import { type MemoryShare, memoryBelow } from "./process-memory.ts";

const TURNS = 100;
/** At full size longer than any time limit that an agent has for one call, several times over. */
const PARKED_MS = 300_000;
/** Each turn starts an agent, and the machine may be small and busy. */
const PATIENCE_MS = 60_000 + PARKED_MS + TURNS * 6_000;
/** What Node itself takes, twice: a bridge that loads more than it needs costs more than that. */
const BRIDGE_MEGABYTES = 20;

let home: GatewayHome;
let gateway: GatewayProcess;
beforeEach(async () => {
  home = new GatewayHome();
  gateway = await startGateway(home);
});
afterEach(async () => {
  await gateway.stop();
  home.remove();
});

interface Cook {
  readonly dialogue: Dialogue;
  readonly kitchen: Kitchen;
  readonly basket: string;
  readonly first: Answer;
}

async function begin(index: number): Promise<Cook> {
  const [dialogue, kitchen, basket] = [openChatDialogue(gateway), new Kitchen(), `basket-${index}.txt`];
  const first = await dialogue.say(`Read apples.txt and pears.txt, then create ${basket} with the content full`);
  return { dialogue, kitchen, basket, first };
}

/** Gives results until no more are asked for. */
async function finish({ dialogue, kitchen, basket, first }: Cook) {
  const names: string[] = [];
  let answer = first;
  while (answer.calls.length > 0) {
    names.push(...answer.calls.map(({ name }) => name));
    const results = answer.calls.map(({ callId, name, input }) => ({ callId, text: kitchen.run(name, input) }));
    answer = await dialogue.give(...results);
  }
  return { names, basket: kitchen.files.get(basket), isReported: answer.text.endsWith(`I wrote \`${basket}\`.`) };
}

const bridges = (): number => findVictims(home, "bridge").length;

const noShare: MemoryShare = { processes: 0, megabytes: 0 };

/**
 * What so many parked turns take. Of the gateway only what nobody shares with it counts: pages that it shares count for less
 * the more processes there are, and would hide what it needs.
 */
function measure() {
  const { bridges = noShare, agents = noShare, sandboxes = noShare } = memoryBelow(gateway.pid);
  const anonymous = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1];
  return {
    gateway: Number(anonymous) / 1024,
    bridge: bridges.megabytes,
    agent: agents.megabytes,
    sandbox: sandboxes.megabytes,
  };
}

function priceOf(before: ReturnType<typeof measure>, parked: ReturnType<typeof measure>) {
  const growth = (kind: keyof typeof parked): number => (parked[kind] - before[kind]) / TURNS;
  return { gateway: growth("gateway"), bridge: growth("bridge"), agent: growth("agent"), sandbox: growth("sandbox") };
}

it.runIf(isFullRun())(
  `${TURNS} turns that begin at the same instant and wait ${PARKED_MS / 1_000} s for their clients all go on and end`,
  async () => {
    const before = measure();
    const startedAt = performance.now();
    const cooks = await Promise.all(Array.from({ length: TURNS }, (_, index) => begin(index)));
    const begunMs = performance.now() - startedAt;
    expect([cooks.flatMap(({ first }) => (first.calls.length > 0 ? [] : first.text)), bridges()]).toEqual([[], TURNS]);

    await sleep(PARKED_MS);
    const price = priceOf(before, measure());
    const shares = Object.entries(price).map(([kind, megabytes]) => `${kind} ${megabytes.toFixed(1)} MB`);
    process.stdout.write(
      `${TURNS} turns began within ${(begunMs / 1_000).toFixed(1)} s; each takes ${shares.join(", ")}.\n`,
    );

    const ends = await Promise.all(cooks.map(finish));
    expect(ends).toEqual(
      Array.from({ length: TURNS }, () => ({ names: ["read", "read", "write"], basket: "full", isReported: true })),
    );
    // Each agent was started once, and given its task once.
    expect(home.turns()).toHaveLength(TURNS);
    expect(price.bridge).toBeLessThan(BRIDGE_MEGABYTES);
    await expect.poll(bridges, { timeout: 20_000 }).toBe(0);
    await gateway.stop();
    expect(home.agents()).toEqual([]);
  },
  PATIENCE_MS,
);

it("a turn whose bridge is killed while it waits goes on with its results and finishes its task", async () => {
  const cook = await begin(0);
  expect(killVictims(home, "bridge")).toBe(true);
  // Left without its tools, the agent comes to an end of its own, which is not the client's.
  await expect.poll(() => findVictims(home, "agent"), { timeout: 20_000 }).toEqual([]);
  expect({ ...(await finish(cook)), lastPrompt: home.prompts().at(-1) }).toEqual({
    names: ["read", "read", "write"],
    basket: "full",
    isReported: true,
    lastPrompt: expect.stringContaining("TOOL_RESULT (name: read, call_id: "),
  });
}, 60_000);
