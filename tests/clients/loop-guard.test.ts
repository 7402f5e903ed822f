import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterEach, expect, it } from "vitest";
import { askRaw, type RawAnswer, type RawEntry } from "./dialogue/raw-conversation.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const bash = (command: string) => ({ tool: { server: "caret", name: "bash", args: { command } } });
const times = <Step>(count: number, ...steps: readonly Step[]): readonly Step[] =>
  Array.from({ length: count }, () => steps).flat();

let home: GatewayHome;
let gateway: GatewayProcess;
afterEach(async () => {
  await gateway.stop();
  home.remove();
});

/** Runs every call with the same result until no more are made. Gives how many were, and how it ended. */
async function loop(steps: readonly object[], env: Readonly<Record<string, string>> = {}) {
  home = new GatewayHome({ turns: [[...steps, { text: "All done." }] as never] });
  gateway = await startGateway(home, { env });
  let transcript: readonly RawEntry[] = [{ user: "Look after it." }];
  let calls = 0;
  let answer: RawAnswer = await askRaw(gateway, { door: "chat completions", transcript });
  while (answer.calls.length > 0) {
    calls += answer.calls.length;
    const results = answer.calls.map(({ callId }) => ({ callId, text: "nothing to commit" }));
    transcript = [...transcript, { calls: answer.calls }, { results }];
    answer = await askRaw(gateway, { door: "chat completions", transcript });
  }
  const { error } = answer.body as { error?: { code: string } };
  return { calls, end: error?.code ?? answer.text };
}

it("a command with the same output may be run many times among others", async () => {
  expect(await loop(times(7, bash("git status"), bash("git log")))).toEqual({
    calls: 14,
    end: "All done.",
  });
});

it("a command that is run again and again with the same output is refused, and ends the turn", async () => {
  expect(await loop(times(8, bash("git status")))).toEqual({ calls: 6, end: "loop_stopped" });
});

it.runIf(isFullRun()).each([
  ["sooner", "2", { calls: 2, end: "loop_stopped" }],
  ["never", "0", { calls: 8, end: "All done." }],
])("a setting makes it %s", async (_when, repeats, end) => {
  expect(await loop(times(8, bash("git status")), { CARET_LOOPS_REPEATS: repeats })).toEqual(end);
});
