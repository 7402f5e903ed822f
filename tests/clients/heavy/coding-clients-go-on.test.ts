import { afterEach, beforeEach, expect, it } from "vitest";
import { GatewayHome } from "../gateway-home.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { claudeCode } from "../loops/claude-code.ts";
import { cline } from "../loops/cline.ts";
import { codex } from "../loops/codex.ts";
import { continueDev } from "../loops/continue.ts";
import { followUp } from "../loops/follow-up.ts";
import { openClaws } from "../loops/open-claw.ts";
import { openCodes } from "../loops/open-code.ts";
import { pis } from "../loops/pi.ts";
import { qwenCode } from "../loops/qwen-code.ts";
import { goingOn, runClient } from "../loops/run-client.ts";
import { ScratchRepository } from "../loops/scratch-repository.ts";

let home: GatewayHome;
let repository: ScratchRepository;
let gateway: GatewayProcess;

beforeEach(async () => {
  home = new GatewayHome();
  repository = new ScratchRepository();
  gateway = await startGateway(home);
});
afterEach(async () => {
  await gateway.stop();
  home.remove();
  repository.remove();
});

/** All that can go on with a session as a script: Droid wants its maker's cloud for that. */
const clients = [claudeCode, ...openCodes, ...pis, codex, qwenCode, continueDev, ...openClaws].map(
  (client) => [client.name, client] as const,
);

/** Qwen Code starts an agent of its own beside a conversation, which keeps its memory: that one is given the talk to read. */
const isMemoryKeeper = (prompt: string): boolean => prompt.includes("managed memory index");

it.each(clients)("%s gets a plain answer, and goes on with its session when it is started again", async (_, client) => {
  const place = { url: gateway.url, token: gateway.token, repository };
  const exits = [
    await runClient(client, place, "My name is Ada"),
    await runClient(goingOn(client), place, "What is my name?"),
  ];
  // Chores like titles are asked for without tools, and answered by an agent that cannot change anything.
  const turns = home.turns().filter(({ argv, prompt }) => !argv.includes("ask") && !isMemoryKeeper(prompt));
  expect([
    exits.map(({ code }) => code),
    exits.map(({ stdout }) => stdout),
    turns.map(({ argv, prompt }) => [argv.includes("--resume"), prompt.includes("My name is Ada")]),
  ]).toEqual([
    [0, 0],
    [expect.stringContaining("Nice to meet you, Ada"), expect.stringContaining("Your name is Ada")],
    [
      [false, true],
      [true, false],
    ],
  ]);
});

it("Cline goes on with its session in a terminal, which it wants for that", async () => {
  const place = { url: gateway.url, token: gateway.token, repository };
  const first = await runClient(cline, place, "My name is Ada");
  const isAnswered = await followUp(cline, place, { task: "What is my name?", answer: "Your name is Ada" });
  const turns = home.turns().filter(({ argv }) => !argv.includes("ask"));
  expect([first.code, isAnswered, turns.map(({ argv }) => argv.includes("--resume"))]).toEqual([
    0,
    true,
    [false, true],
  ]);
});
