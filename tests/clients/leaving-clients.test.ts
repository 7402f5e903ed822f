import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AskedCall } from "./dialogue/dialogue.ts";
import { askAndLeave, askRaw, type Door, type RawEntry } from "./dialogue/raw-conversation.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";
import { findVictims } from "./victims.ts";

const read = (path: string): { tool: { server: string; name: string; args: { path: string } } } => ({
  tool: { server: "caret", name: "read", args: { path } },
});

/** An agent that reads a file by its client, talks, and works on for as long as it is left alone. */
const scenario: ScenarioInput = {
  turns: [
    { when: "^(?!.*Say hello).*work on", steps: [read("apples.txt"), { text: "I work on. " }, { hang: true }] },
    {
      when: "three files",
      steps: [
        read("one.txt"),
        read("two.txt"),
        { tools: [read("three.txt").tool, read("four.txt").tool] },
        { text: "All done." },
      ],
    },
  ],
};

const home = new GatewayHome(scenario);
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

type Kind = readonly [door: Door, kind: string, newName: () => string | undefined];

const doors = ["chat completions", "responses", "messages"] as const;
/** A name is read by each door in its own way, and then treated in one: one door is enough for the quick form. */
const shownAt = doors.slice(0, barSize({ quick: 1, full: 3 }));
const kinds: readonly Kind[] = [
  ...shownAt.map((door): Kind => [door, "without a name", () => undefined]),
  ...shownAt.map((door): Kind => [door, "that names its conversation", () => `conversation-${crypto.randomUUID()}`]),
];

const answered = (calls: readonly AskedCall[]): readonly RawEntry[] => [
  { calls },
  { results: calls.map(({ callId, input }) => ({ callId, text: `contents of ${String(input["path"])}` })) },
];

const agents = (): number => findVictims(home, "agent").length;

describe.each(kinds)("by %s, a client %s", (door, kind, newName) => {
  it("stops the agent by leaving after a tool round, and is answered at once when it goes on", async () => {
    const name = newName();
    const task = `Please work on, ${crypto.randomUUID()}`;
    const { calls, turn } = await askRaw(gateway, { door, name, transcript: [{ user: task }] });
    const transcript: readonly RawEntry[] = [{ user: task }, ...answered(calls)];
    const left = await askAndLeave(gateway, { door, name, transcript }, "I work on.");
    const next = await askRaw(gateway, { door, name, transcript: [...transcript, { user: "Say hello" }] });
    expect({ sameTurn: left === turn, status: next.status, text: next.text }).toEqual({
      sameTurn: true,
      status: 200,
      text: "hello",
    });
    await expect.poll(agents, { timeout: 15_000, interval: 250 }).toBe(0);
  });

  it.runIf(isFullRun() || kind !== "without a name")(
    "stops the agent by leaving after a tool round, and never coming back",
    async () => {
      const name = newName();
      const task = `Please work on, ${crypto.randomUUID()}`;
      const { calls } = await askRaw(gateway, { door, name, transcript: [{ user: task }] });
      await askAndLeave(gateway, { door, name, transcript: [{ user: task }, ...answered(calls)] }, "I work on.");
      await expect.poll(agents, { timeout: 15_000, interval: 250 }).toBe(0);
    },
  );

  it.runIf(isFullRun() || door === "chat completions")(
    "may send everything twice and has its task done once, its calls in their order",
    async () => {
      const name = newName();
      const task = `Read three files, ${crypto.randomUUID()}`;
      const asked: string[] = [];
      let transcript: readonly RawEntry[] = [{ user: task }];
      let answer = await askRaw(gateway, { door, name, transcript });
      while (answer.calls.length > 0) {
        asked.push(...answer.calls.map(({ input }) => String(input["path"])));
        transcript = [...transcript, ...answered(answer.calls)];
        const [first, second] = await Promise.all([1, 2].map(() => askRaw(gateway, { door, name, transcript })));
        const third = await askRaw(gateway, { door, name, transcript });
        expect([second?.calls, third.calls, second?.text, third.text]).toEqual([
          first?.calls,
          first?.calls,
          first?.text,
          first?.text,
        ]);
        answer = third;
      }
      const prompts = home.prompts().filter((prompt) => prompt.includes(task));
      expect({ text: answer.text, asked, agents: prompts.length }).toEqual({
        text: "All done.",
        asked: ["one.txt", "two.txt", "three.txt", "four.txt"],
        agents: 1,
      });
    },
  );

  it("is given ids of letters and digits, and may send them back in another spelling", async () => {
    const [name, task] = [newName(), `Read three files, ${crypto.randomUUID()}`];
    let transcript: readonly RawEntry[] = [{ user: task }];
    let answer = await askRaw(gateway, { door, name, transcript });
    const turns = [answer.turn];
    const ids: string[] = [];
    while (answer.calls.length > 0) {
      ids.push(...answer.calls.map(({ callId }) => callId));
      const respelled = answer.calls.map((call) => ({
        ...call,
        callId: call.callId.toUpperCase().replace("CALL", "call_"),
      }));
      transcript = [...transcript, ...answered(respelled)];
      answer = await askRaw(gateway, { door, name, transcript });
      turns.push(answer.turn);
    }
    expect({ ids, turns: new Set(turns).size, text: answer.text }).toEqual({
      ids: Array(4).fill(expect.stringMatching(/^[a-z0-9]{20,64}$/)),
      turns: 1,
      text: "All done.",
    });
  });
});
