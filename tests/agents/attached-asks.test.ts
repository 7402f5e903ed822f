import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { NativeClient } from "@caret/protocol";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, beforeAll, expect, it } from "vitest";
import { caret as program } from "../clients/gateway-process.ts";
import { MortalGateway } from "../native/mortal-gateway.ts";

const tool = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });
const scenario: ScenarioInput = {
  turns: [
    {
      when: "paint",
      steps: [tool("ask_human", { question: "Which colour?", wait_seconds: 60 }), { text: "Painted." }],
    },
    { when: "make", steps: [tool("exec", { command: "echo done >made.txt" }), { text: "Made." }] },
  ],
};

let gateway: MortalGateway;
let caret: NativeClient;
let terminal: ChildProcessWithoutNullStreams;
let printed = "";
beforeAll(async () => {
  gateway = await MortalGateway.start(scenario);
  caret = gateway.client();
  await caret.createAgent({ name: "bob", workspace: gateway.home.workspace, permission: "auto-edits", lane: "sim" });
  terminal = spawn(process.execPath, [program, "agent", "attach", "bob"], { env: gateway.home.environment() });
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
});
afterAll(async () => {
  terminal.kill("SIGINT");
  await once(terminal, "exit");
  await gateway.remove();
});

async function untilIdle(): Promise<string> {
  await expect.poll(async () => (await caret.getAgent("bob")).doing.kind).toBe("idle");
  return (await caret.getAgent("bob")).lastLine;
}

it("a question of an agent to a person is shown in lists and in the terminal, and answered there", async () => {
  await caret.sendMessage("bob", { text: "paint it" });
  await expect.poll(() => printed).toContain("bob asks you:\n  Which colour?\n");
  const asking = await caret.getAgent("bob");
  const { asksSince } = await caret.getSession(asking.sessionId);
  terminal.stdin.write("Blue\n");
  const said = await untilIdle();
  const { toHuman } = await caret.getAgent("bob");
  const session = await caret.getSession(asking.sessionId);
  expect({ asked: asking.toHuman.map(({ text }) => text), asksSince, said, toHuman, after: session.asksSince }).toEqual(
    {
      asked: ["Which colour?"],
      asksSince: asking.toHuman[0]?.at,
      said: "Painted.",
      toHuman: [],
      after: undefined,
    },
  );
});

it("an approval that its turn waits for is given in the terminal", async () => {
  await caret.sendMessage("bob", { text: "make it" });
  await expect.poll(() => printed).toContain("echo done >made.txt");
  await expect.poll(() => printed).toContain("y = yes, once");
  terminal.stdin.write("y\n");
  expect(await untilIdle()).toBe("Made.");
});

it("a message that needs no answer is put aside", async () => {
  const { sessionId } = await caret.getAgent("bob");
  await caret.sendMessage("bob", { text: "paint it again" });
  const asked = async () => (await caret.getAgent("bob")).toHuman;
  await expect.poll(asked).toHaveLength(1);
  const [message] = await asked();
  const aside = await caret.putMessageAside(message?.id ?? "");
  await caret.stopAgent("bob");
  expect([aside.state, await asked(), (await caret.getSession(sessionId)).asksSince]).toEqual(["read", [], undefined]);
});
