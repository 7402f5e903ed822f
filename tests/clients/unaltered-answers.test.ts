import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createNativeClient } from "@caret/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChatDialogue } from "./dialogue/chat-dialogue.ts";
import { openMessagesDialogue } from "./dialogue/messages-dialogue.ts";
import { openResponsesDialogue } from "./dialogue/responses-dialogue.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

/** Text that looks like a secret to the redactor, and that a coding agent writes every day. */
const fixtures = [
  'const token = "abc12345xyz";\n',
  "url: postgres://app:s3cr3t@db:5432/app\n",
  'it("rejects", () => login({ password: "wrong-horse-1" }));\n',
  `GITHUB_TOKEN=ghp_${"aB3dE5gH7jK9".repeat(3)}\n`,
];
const compose = { path: "compose.yml", content: fixtures.join("") };
const env = { path: ".env.example", content: fixtures.toReversed().join("") };
const words = `Put this into the file:\n${fixtures.join("")}`;
const kept = ["abc12345xyz", "s3cr3t", "wrong-horse-1", "ghp_aB3"];

const call = (args: typeof compose) => ({ server: "caret", name: "write", args });
const home = new GatewayHome({
  // Small deltas: a secret that is cut in two must be given whole as well.
  tokensPerDelta: 1,
  turns: [{ when: "Write", steps: [{ tools: [call(compose), call(env)] }, { text: words }] }],
});
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

describe.each([
  ["chat completions", openChatDialogue],
  ["responses", openResponsesDialogue],
  ["messages", openMessagesDialogue],
] as const)("a client of %s", (door, open) => {
  it("is given calls and texts exactly as the agent made them, also a call that it is sent twice", async () => {
    const dialogue = open(gateway);
    const asked = await dialogue.say(`Write the files, ${door}`);
    const [one, two] = asked.calls;
    const half = await dialogue.give({ callId: one?.callId ?? "", text: "Written." });
    const whole = await dialogue.give({ callId: two?.callId ?? "", text: "Written." });
    // Calls that are made together come in any order.
    const inputs = asked.calls
      .map(({ input }) => input)
      .toSorted((a, b) => (String(a["path"]) < String(b["path"]) ? -1 : 1));
    expect({ inputs, again: half.calls, text: whole.text }).toEqual({
      inputs: [env, compose],
      again: [two],
      text: words,
    });
  });
});

it("what clients are given whole is redacted in the log, in exports and for other readers", async () => {
  const caret = createNativeClient({ baseUrl: gateway.url, headers: { authorization: `Bearer ${gateway.token}` } });
  await openChatDialogue(gateway).say("Write the files, once more");
  const { sessions } = await caret.listSessions({});
  const pages = await Promise.all(sessions.map(({ id }) => caret.readLog(id, { limit: 1_000 })));
  const files = readdirSync(home.dataDir, { recursive: true, encoding: "utf8" })
    // Only ours: the simulated agent keeps its chats below the same directory, as Cursor's would below its own.
    .filter((name) => /^[^/]*\.db/.test(name))
    .map((name) => readFileSync(join(home.dataDir, name), "latin1"));
  const sinks = { sessions: JSON.stringify(sessions), log: JSON.stringify(pages), files: files.join("") };
  const found = Object.entries(sinks).flatMap(([sink, text]) =>
    kept.filter((secret) => text.includes(secret)).map((secret) => `${sink}: ${secret}`),
  );
  expect({ calls: sinks.log.split('"compose.yml"').length - 1, found }).toEqual({ calls: 4, found: [] });
});
