import { existsSync } from "node:fs";
import { join } from "node:path";
import { type AgentEventOf, approvalText, approvalView } from "@caret/protocol";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { httpTransport, McpHost, type Report, textOf } from "../mcp/mcp-host.ts";
import { MortalGateway } from "../native/mortal-gateway.ts";
import { hostileCommands } from "./hostile-commands.ts";

const calls = hostileCommands(barSize({ quick: 40, full: 500 })).map(({ command }) => ({ command }));
const offered = (args: object) => ({ server: "caret", name: "exec", args: { ...args } });
/** With each answer the log of the session is read: short ones are read sooner. */
const batches = Array.from({ length: Math.ceil(calls.length / 20) }, (_, index) =>
  calls.slice(index * 20, index * 20 + 20),
);

let gateway: MortalGateway;
let host: McpHost;
/** What the host's person was shown, and says. */
const messages: string[] = [];
let says: "accept" | "decline" = "decline";

beforeAll(async () => {
  gateway = await MortalGateway.start({
    turns: [
      ...batches.map((batch, index) => ({
        when: `batch ${index}!`,
        steps: [{ tools: batch.map(offered) }, { text: "Done." }],
      })),
      { when: "make", steps: [{ tools: [offered({ command: "touch made" })] }, { text: "Made." }] },
    ],
  });
  const confirm = (message: string): typeof says => {
    messages.push(message);
    return says;
  };
  host = await McpHost.connect(httpTransport(gateway.process), { roots: [gateway.home.workspace], confirm });
});
afterAll(async () => {
  await host.close();
  await gateway.remove();
});

/** Without what the policy says about it. */
const asked = (text: string): string => text.replace(/\n(?:Why it is asked|Dangerous): .*/g, "");

/** So many are answered by the page: the host's person sees the same text as its model. */
const everyOther = barSize({ quick: 10, full: 1 });

/** A dialog of a host takes no more. */
const isTooLong = (message: string): boolean => message.length > 20_000;

it("a host's person is shown each hostile command whole, and what is too long to be shown there is not approved there", async () => {
  const left = new Set(calls.map(({ command }) => command));
  for (const index of batches.keys()) {
    const { session, ...begun } = await host.call("run", { prompt: `batch ${index}!` });
    for (let { ask } = begun; ask !== undefined; ask = await nextAsk(session, ask)) {
      const input = ask.details?.input as { readonly command: string };
      expect(left.delete(input.command)).toBe(true);
      expect(asked(ask.shown ?? "")).toBe(textOfView(input));
      await decline(session, ask, left.size % everyOther === 0);
    }
  }
  expect(left.size).toBe(0);
});

type Ask = NonNullable<Report["ask"]>;

function textOfView(input: object): string {
  const request: AgentEventOf<"approval-request"> = {
    type: "approval-request",
    requestId: "r",
    subject: "exec",
    input,
  };
  return approvalText(approvalView(request));
}

/** The host's model approves it and its person does not, or the page denies it. */
async function decline(session: string, ask: Ask, byPerson: boolean): Promise<void> {
  const message = `The agent asks to be allowed this:\n${ask.shown}`;
  const answer = { session, request: ask.request, decision: "approved" };
  if (isTooLong(message)) expect(textOf(await host.raw("answer", answer))).toContain("too long");
  if (isTooLong(message) || !byPerson)
    return void (await gateway.client().answerApproval(session, ask.request, { decision: "rejected" }));
  await host.raw("answer", answer);
  expect(messages.at(-1)).toBe(message);
}

/** What is asked next; undefined once the turn is over. An answer is in the log a moment after it was taken. */
async function nextAsk(session: string, { request }: Ask): Promise<Ask | undefined> {
  for (;;) {
    const { ask, state } = await host.call("status", { session });
    if (ask?.request !== request && (ask !== undefined || state !== "running")) return ask;
  }
}

it("what the host's model approves is run only when its person has accepted it", async () => {
  const made = (): boolean => existsSync(join(gateway.home.workspace, "made"));
  for (const word of ["decline", "accept"] as const) {
    says = word;
    const { session, ask } = await host.call("run", { prompt: "make it" });
    const { answer } = await host.call("answer", { session, request: ask?.request, decision: "approved" });
    expect([answer, made()]).toEqual(["Made.", word === "accept"]);
  }
});

it("a host that cannot ask its person approves only what its own turns ask, and may reject anything", async () => {
  const silent = await McpHost.connect(httpTransport(gateway.process), { roots: [gateway.home.workspace] });
  const client = gateway.client();
  const { id: session } = await client.createSession({ workspace: gateway.home.workspace, permission: "supervised" });
  await client.startTurn(session, { prompt: "make it" });
  await expect.poll(async () => (await silent.call("status", { session })).state).toBe("waiting");
  const { ask } = await silent.call("status", { session });
  const answer = { session, request: ask?.request };
  const refused = await silent.raw("answer", { ...answer, decision: "approved" });
  expect([refused.isError, textOf(refused), (await silent.call("status", { session })).state]).toEqual([
    true,
    expect.stringContaining("This turn was not begun here"),
    "waiting",
  ]);
  expect((await silent.call("answer", { ...answer, decision: "rejected" })).state).toBe("completed");
  const own = await silent.call("run", { prompt: "make it" });
  const approved = await silent.call("answer", {
    session: own.session,
    request: own.ask?.request,
    decision: "approved",
  });
  expect(approved.answer).toBe("Made.");
  await silent.close();
});
