import { type AgentEvent, CaretError, type TurnShare } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import type { ActivityDisplay } from "./activity-text.ts";
import { anthropicDoor } from "./anthropic/route.ts";
import { openaiDoor } from "./openai/route.ts";
import { serveDoor } from "./openai/testing/serve-door.ts";
import { responsesDoor } from "./responses/route.ts";
import type { DoorOptions } from "./serve-answer.ts";
import { scriptedConversations, telling, tellingOneByOne } from "./testing/scripted-conversations.ts";

const messages = [{ role: "user", content: "Plan it" }];

/** The three stateless doors, each with its request and the place of the text in its whole answer. */
const doors = {
  openai: {
    door: openaiDoor,
    path: "/v1/chat/completions",
    body: { messages },
    textOf: (answer: Answer) => answer.choices?.[0]?.message.content,
  },
  responses: {
    door: responsesDoor,
    path: "/v1/responses",
    body: { input: "Plan it" },
    textOf: (answer: Answer) =>
      answer.output?.flatMap(({ type, content }) => (type === "message" ? [content?.[0]?.text] : [])).join("\n\n"),
  },
  anthropic: {
    door: anthropicDoor,
    path: "/v1/messages",
    body: { messages, max_tokens: 1000 },
    textOf: (answer: Answer) =>
      answer.content?.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join("\n\n"),
  },
} as const;

interface Answer {
  readonly choices?: readonly { readonly message: { readonly content: string } }[];
  readonly output?: readonly { readonly type: string; readonly content?: readonly { readonly text: string }[] }[];
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}

type DoorName = keyof typeof doors;
const names = Object.keys(doors) as readonly DoorName[];

async function ask(
  name: DoorName,
  conversations: DoorOptions["conversations"],
  { stream = false, showActivity = "none" as ActivityDisplay } = {},
): Promise<Response> {
  const { door, path, body } = doors[name];
  const options = { conversations, now: () => 0, newId: () => "1", showActivity, keepAliveMs: 60_000 };
  const served = await serveDoor(door(options));
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${served.url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify({ ...body, stream }),
  });
  const text = await response.text();
  await served[Symbol.asyncDispose]();
  return new Response(text, response);
}

const planned: readonly AgentEvent[] = [
  { type: "turn-start", turnId: "turn-1", lane: "sim" },
  { type: "text-start", blockId: "b1" },
  { type: "text-delta", blockId: "b1", text: "So:" },
  { type: "text-end", blockId: "b1" },
  { type: "plan", text: "# Plan" },
  { type: "turn-end", outcome: { kind: "completed" } },
];

describe("a plan", () => {
  it.each(["reasoning", "text", "none"] as const)(
    "is text of the answer at every door, with activity %s",
    async (shown) => {
      const texts = await Promise.all(
        names.map(async (name) => {
          const response = await ask(name, scriptedConversations(telling(...planned)), { showActivity: shown });
          return [name, doors[name].textOf((await response.json()) as Answer)];
        }),
      );
      expect(texts).toEqual(names.map((name) => [name, "So:\n\n# Plan"]));
    },
  );
});

describe("a text that comes in pieces", () => {
  const delta = (blockId: string, text: string): AgentEvent => ({ type: "text-delta", blockId, text });
  const read: AgentEvent = { type: "tool-call", callId: "c", name: "read", kind: "read", input: {}, owner: "agent" };
  const said: readonly AgentEvent[] = [
    { type: "turn-start", turnId: "turn-1", lane: "sim" },
    { type: "thinking-start", blockId: "a" },
    { type: "thinking-delta", blockId: "a", text: "Hm" },
    { type: "thinking-end", blockId: "a" },
    { type: "text-start", blockId: "b" },
    ...["One", ' "two"', "\n", "Grüße 🙂", " and"].map((text) => delta("b", text)),
    read,
    delta("b", " after a call"),
    delta("b", ", on and on"),
    { type: "text-end", blockId: "b" },
    { type: "text-start", blockId: "c" },
    ...["Another", " block", ""].map((text) => delta("c", text)),
    { type: "text-end", blockId: "c" },
    { type: "turn-end", outcome: { kind: "completed" } },
  ];

  it.each(["reasoning", "text", "none"] as const)(
    "is streamed at every door as if it came in one batch, with activity %s",
    async (showActivity) => {
      const wires = await Promise.all(
        names.flatMap((name) =>
          [telling(...said), tellingOneByOne(...said)].map(async (script) => {
            const response = await ask(name, scriptedConversations(script), { stream: true, showActivity });
            return [name, (await response.text()).replace(/"created(?:_at)?":\d+/g, "")];
          }),
        ),
      );
      expect(wires.filter((_, index) => index % 2 === 1)).toEqual(wires.filter((_, index) => index % 2 === 0));
    },
  );

  it.each(["openai", "responses"] as const)("waits at the %s door for a client that is full", async (name) => {
    const piece = { type: "text-delta", blockId: "b", text: "word ".repeat(20_000) } as const;
    const seen: unknown[] = [];
    const scripted = scriptedConversations(telling());
    const follow: TurnShare["follow"] = async (take) => {
      await take([{ type: "text-start", blockId: "b" }, piece]);
      // Never yields to the event loop, so nothing is drained.
      let taken = 0;
      while (taken < 100 && take.more?.(piece) === true) taken += 1;
      const waiting = take([piece]);
      seen.push({ isRefused: taken < 100, isWaiting: waiting instanceof Promise });
      await waiting;
      seen.push({ isTakenLater: take.more?.(piece) });
      await take(said.slice(-1));
    };
    const open: DoorOptions["conversations"]["open"] = async (...asked) => ({
      ...(await scripted.open(...asked)),
      follow,
    });
    await ask(name, { ...scripted, open }, { stream: true });
    expect(seen).toEqual([{ isRefused: true, isWaiting: true }, { isTakenLater: true }]);
  });
});

describe("a failure", () => {
  it("says at every door after how many seconds to try again", async () => {
    const full = { open: () => Promise.reject(new CaretError("overloaded", "Too many concurrent turns (limit 1)")) };
    const answers = await Promise.all(
      names.map(async (name) => {
        const { status, headers } = await ask(name, full);
        return [name, status, headers.get("x-should-retry"), headers.get("retry-after")];
      }),
    );
    expect(answers).toEqual(names.map((name) => [name, 429, "true", "1"]));
  });

  it.each([false, true])("of a cancelled turn is no answer at any door, stream: %s", async (stream) => {
    const cancelled = telling({ type: "turn-end", outcome: { kind: "cancelled" } });
    const answers = await Promise.all(
      names.map(async (name) => {
        const response = await ask(name, scriptedConversations(cancelled), { stream });
        return [name, response.ok, (await response.text()).includes("The turn was cancelled.")];
      }),
    );
    expect(answers).toEqual(names.map((name) => [name, false, true]));
  });
});
