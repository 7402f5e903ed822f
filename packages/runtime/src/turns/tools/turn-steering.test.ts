import { expect, it } from "vitest";
import { createTurnSteering } from "./turn-steering.ts";

const result = { text: "done", isError: false };
const call = { name: "read", input: {} };
const forever = new AbortController().signal;

/** A log whose disk is busy until released. */
function slowLog() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { write: () => promise, letGo: resolve };
}

it("keeps for the next turn what was being handed over when the turn ended", async () => {
  const log = slowLog();
  const steering = createTurnSteering({ write: log.write, key: "k" });
  const said = steering.add("Rather the other way");
  const answer = steering.carriedBy(async () => result)(call, forever);
  await Promise.resolve();
  steering.end();
  expect(steering.unsent()).toEqual(["Rather the other way"]);
  log.letGo();
  await said;
  expect([await answer, steering.unsent()]).toEqual([result, ["Rather the other way"]]);
});

it("hands a message over once, however many results come at the same time", async () => {
  const log = slowLog();
  const steering = createTurnSteering({ write: log.write, key: "k" });
  const said = steering.add("Stop");
  const carried = steering.carriedBy(async () => result);
  const answers = Promise.all([carried(call, forever), carried(call, forever)]);
  log.letGo();
  await said;
  const texts = (await answers).map(({ text }) => text);
  expect(texts.filter((text) => text.includes("Stop")).length).toBe(1);
  expect(steering.unsent()).toEqual([]);
});

it("ux B10: says that a message was heard once the agent is given it, and not before", async () => {
  const written: unknown[] = [];
  const steering = createTurnSteering({ write: async (events) => written.push(...events), key: "k" });
  await steering.add("Stop");
  const said = { type: "notice", kind: "steer", message: "Stop" };
  expect(written).toEqual([said]);
  const { text } = await steering.carriedBy(async () => result)(call, forever);
  expect([text, written]).toEqual([
    'done\n\n<user-message key="k">\nStop\n</user-message>',
    [said, { ...said, detail: { isHeard: true } }],
  ]);
});

it("waits for an answer that the agent reads: a program reads data, in which nobody's words may stand", async () => {
  const steering = createTurnSteering({ write: async () => undefined, key: "k" });
  await steering.add("Stop");
  const answer = await steering.carriedBy(async () => result)({ ...call, exact: {} }, forever);
  expect([answer, steering.unsent()]).toEqual([result, ["Stop"]]);
});
