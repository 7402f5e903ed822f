import { afterEach, beforeEach, expect, it } from "vitest";
import { GatewayHome } from "../gateway-home.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { claudeCode } from "../loops/claude-code.ts";
import { codex } from "../loops/codex.ts";
import type { CodingClient } from "../loops/coding-client.ts";
import { continueDev } from "../loops/continue.ts";
import { openCodes } from "../loops/open-code.ts";
import { pis } from "../loops/pi.ts";
import { runClient } from "../loops/run-client.ts";
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

/** The client with other arguments. */
function withArguments(client: CodingClient, change: (args: readonly string[]) => readonly string[]): CodingClient {
  const prepare: CodingClient["prepare"] = (place) => {
    const { args, env } = client.prepare(place);
    return { args: change(args), env };
  };
  return { ...client, prepare };
}

const keepingSessions = (args: readonly string[]) => args.filter((argument) => argument !== "--no-session");

/** Each client, and how it is told to go on with its last session. */
const clients: readonly (readonly [string, CodingClient, readonly string[]])[] = [
  [claudeCode.name, claudeCode, ["-c"]],
  ...openCodes.map((client) => [client.name, client, ["-c"]] as const),
  ...pis.map((client) => [client.name, client, ["-c"]] as const),
  [codex.name, codex, ["resume", "--last"]],
  [continueDev.name, continueDev, ["--resume"]],
];

it.each(clients)(
  "%s gets a plain answer, and goes on with its session when it is started again",
  async (_, client, goOn) => {
    const place = { url: gateway.url, token: gateway.token, repository };
    const first = withArguments(client, keepingSessions);
    const second = withArguments(first, (args) => [...args, ...goOn]);
    const exits = [await runClient(first, place, "My name is Ada"), await runClient(second, place, "What is my name?")];
    // Chores like titles are asked for without tools, and answered by an agent that cannot change anything.
    const turns = home.turns().filter(({ argv }) => !argv.includes("ask"));
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
  },
);
