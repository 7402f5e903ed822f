import { afterAll, beforeAll, expect, it } from "vitest";
import { barSize } from "../turns/full-bars.ts";
import { openChatDialogue } from "./dialogue/chat-dialogue.ts";
import type { Answer, Dialogue } from "./dialogue/dialogue.ts";
import { Kitchen } from "./dialogue/kitchen-tools.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";
import { findVictims } from "./victims.ts";

const TURNS = barSize({ quick: 20, full: 100 });
/** Each turn starts an agent and a bridge, and the machine may be small. */
const PATIENCE_MS = 30_000 + TURNS * 3_000;

const home = new GatewayHome();
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

interface Cook {
  readonly dialogue: Dialogue;
  readonly kitchen: Kitchen;
  readonly basket: string;
  readonly first: Answer;
}

/** A few begin at a time: an agent gives up a tool server that takes too long to start, and a small machine is slow. */
const AT_ONCE = 10;

async function beginAll(): Promise<readonly Cook[]> {
  const cooks: Cook[] = [];
  while (cooks.length < TURNS) {
    const wave = Math.min(AT_ONCE, TURNS - cooks.length);
    cooks.push(...(await Promise.all(Array.from({ length: wave }, (_, index) => begin(cooks.length + index)))));
  }
  return cooks;
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
  return { names, basket: kitchen.files.get(basket), isTold: answer.text.endsWith(`I wrote \`${basket}\`.`) };
}

it(
  `${TURNS} turns that wait for their clients at once all go on and end, and leave no process`,
  async () => {
    const cooks = await beginAll();
    expect([cooks.map(({ first }) => first.calls.length || first.text), findVictims(home, "bridge").length]).toEqual([
      Array.from({ length: TURNS }, () => 2),
      TURNS,
    ]);
    const ends = await Promise.all(cooks.map(finish));
    expect(ends).toEqual(
      Array.from({ length: TURNS }, () => ({ names: ["read", "read", "write"], basket: "full", isTold: true })),
    );
    expect(home.turns()).toHaveLength(TURNS);
    await expect.poll(() => findVictims(home, "bridge"), { timeout: 20_000 }).toEqual([]);
    await gateway.stop();
    expect(home.agents()).toEqual([]);
  },
  PATIENCE_MS,
);
