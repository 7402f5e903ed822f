import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent, EventEnvelope, NativeClient } from "@caret/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventOf } from "./await-event.ts";
import { MortalGateway } from "./mortal-gateway.ts";

const IFS = "$" + "{IFS}";
/** What the redactor takes for a quoted token is a command that makes a file. */
const hiding = (name: string): string => `TOKEN="a1b2c3d4$(touch${IFS}${name})" true`;
const offered = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });
const secretive = { question: "Is hunter2hunter2 the password?", password: "hunter2hunter2" };
const questions = [
  {
    id: "q",
    prompt: `Is password: "hunter2hunter2" right?`,
    options: [
      { id: "y", label: "Yes" },
      { id: "n", label: "No" },
    ],
  },
];

let gateway: MortalGateway;
let caret: NativeClient;
beforeAll(async () => {
  gateway = await MortalGateway.start({
    turns: [
      { when: "owned", steps: [offered("exec", { command: hiding("owned") }), { text: "Done." }] },
      { when: "restart", steps: [offered("exec", { command: hiding("later") }), { text: "Done." }] },
      { when: "ask me", steps: [offered("ask_user", { title: secretive.question, questions }), { text: "Thanks." }] },
    ],
  });
  caret = gateway.client();
});
afterAll(() => gateway.remove());

const inputsOf = (events: readonly EventEnvelope[]) =>
  events.flatMap(({ event }) =>
    event.type === "tool-call" || event.type === "approval-request" ? [{ type: event.type, input: event.input }] : [],
  );
const made = (name: string): boolean => existsSync(join(gateway.home.workspace, name));

async function waitingSession(prompt: string, type: "approval-request" | "question") {
  const { id } = await caret.createSession({ permission: "supervised" });
  await caret.startTurn(id, { prompt });
  const { event } = await eventOf(caret, id, type);
  return { id, event };
}

describe("what a person decides about", () => {
  it("is shown exactly as it will run while it waits, in the stream, the log and the list, and kept redacted", async () => {
    const { id, event } = await waitingSession("owned", "approval-request");
    const command = hiding("owned");
    const whole = [
      { type: "tool-call", input: { command } },
      { type: "approval-request", input: { command } },
    ];
    const { status } = await caret.getSession(id);
    const log = async () => inputsOf((await caret.readLog(id, { limit: 1_000 })).events);
    expect({ streamed: (event as { input?: unknown }).input, log: await log(), about: aboutOf(status) }).toEqual({
      streamed: { command },
      log: whole,
      about: `Run ${command}`,
    });
    expect(made("owned")).toBe(false);
    await caret.answerApproval(id, event.requestId, { decision: "approved" });
    await eventOf(caret, id, "turn-end");
    const exported = await (await caret.exportSession(id, "ndjson")).content.text();
    const kept = { command: 'TOKEN="[redacted]" true' };
    expect({ ran: made("owned"), log: await log(), exported: exported.includes("a1b2c3d4") }).toEqual({
      ran: true,
      log: whole.map(({ type }) => ({ type, input: kept })),
      exported: false,
    });
  });

  it("may be a question, which is shown as it was asked", async () => {
    const { id, event } = await waitingSession("ask me", "question");
    expect(event).toMatchObject({ title: secretive.question, questions: [{ prompt: questions[0]?.prompt }] });
    await caret.answerQuestion(id, event.requestId, {});
    await eventOf(caret, id, "turn-end");
  });

  it("cannot be approved after a restart, when it can no longer be shown whole", async () => {
    const { id, event } = await waitingSession("restart", "approval-request");
    await gateway.dieAndReturn();
    caret = gateway.client();
    const refused = await caret
      .answerApproval(id, event.requestId, { decision: "approved" })
      .catch((error) => error.code);
    const { events } = await caret.readLog(id, { limit: 1_000 });
    expect({ refused, ran: made("later"), shown: inputsOf(events).at(-1)?.input, end: endOf(events) }).toEqual({
      refused: "not-found",
      ran: false,
      shown: { command: 'TOKEN="[redacted]" true' },
      end: "interrupted",
    });
  });
});

function aboutOf(status: object): unknown {
  return (status as { about?: unknown }).about;
}

function endOf(events: readonly EventEnvelope[]): string | undefined {
  const last: AgentEvent | undefined = events.at(-1)?.event;
  return last?.type === "turn-end" && last.outcome.kind === "failed" ? last.outcome.error.code : last?.type;
}
