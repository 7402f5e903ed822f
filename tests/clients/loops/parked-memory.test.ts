import { afterAll, beforeAll, expect, it } from "vitest";
import { openChatDialogue } from "../dialogue/chat-dialogue.ts";
import { Kitchen } from "../dialogue/kitchen-tools.ts";
import { GatewayHome } from "../gateway-home.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { memoryBelow, totalMegabytes } from "./process-memory.ts";

const TURNS = 50;
/** So many at a time: a machine that starts all at once measures its own queues. */
const AT_ONCE = 5;

const home = new GatewayHome();
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

it(`${TURNS} turns wait side by side, each at a known price, and all are finished`, async () => {
  const before = memoryBelow(gateway.pid);
  const waiting = await inGroups(range(TURNS), async (number) => {
    const dialogue = openChatDialogue(gateway);
    return { dialogue, calls: (await dialogue.say(`Read apples.txt for cook ${number}`)).calls };
  });
  const parked = memoryBelow(gateway.pid);
  const answers = await inGroups(waiting, async ({ dialogue, calls }) => {
    const kitchen = new Kitchen();
    return await dialogue.give(...calls.map(({ callId, name, input }) => ({ callId, text: kitchen.run(name, input) })));
  });
  const each = (totalMegabytes(parked) - totalMegabytes(before)) / TURNS;
  const kinds = Object.entries(parked).map(
    ([kind, share]) => `${kind} ${share.processes}: ${share.megabytes.toFixed(0)} MB`,
  );
  process.stdout.write(`A parked turn takes ${each.toFixed(1)} MB (${kinds.join(", ")}).\n`);
  expect([answers.map(({ text }) => text.includes("Boskoop")), home.turns().length]).toEqual([
    range(TURNS).map(() => true),
    TURNS,
  ]);
}, 300_000);

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  return results;
}
