import { describe, expect, it } from "vitest";
import { parseMessagesRequest } from "./anthropic/request.ts";
import { readChatRequest } from "./openai/request.ts";
import { createMemoryItemStore } from "./responses/item-store.ts";
import { readResponsesRequest } from "./responses/request.ts";

type Message = readonly [role: string, content: string];

/** How each stateless door reads the same messages. */
const doors = {
  openai: (messages: readonly object[]) => readChatRequest({ messages }, {}).request,
  responses: (input: readonly object[]) =>
    readResponsesRequest({ input }, {}, { owner: "me", items: createMemoryItemStore() }).request,
  anthropic: (messages: readonly object[]) => parseMessagesRequest({ messages }, {}).request,
};

const asks = (text: string) => ({ role: "user", parts: [{ kind: "text", text }] });
const said = (text: string) => ({ role: "assistant", text, calls: [] });

describe.each(Object.entries(doors))("a conversation of instructions at the door %s", (_, read) => {
  it.each<[readonly Message[], string, readonly object[]]>([
    [[["developer", "Say A."]], "", [asks("Say A.")]],
    [[["system", "Say A."]], "", [asks("Say A.")]],
    [
      [
        ["system", "Be kind."],
        ["developer", "Say A."],
      ],
      "Be kind.",
      [asks("Say A.")],
    ],
    [
      [
        ["user", "Hi"],
        ["assistant", "Hello."],
        ["developer", "Say A."],
      ],
      "",
      [asks("Hi"), said("Hello."), asks("Say A.")],
    ],
    [
      [
        ["user", "Hi"],
        ["developer", "Be kind."],
      ],
      "Be kind.",
      [asks("Hi")],
    ],
    [
      [
        ["developer", "Be kind."],
        ["user", "Hi"],
      ],
      "Be kind.",
      [asks("Hi")],
    ],
  ])("asks by what stands last, unless something else asks: %j", (messages, system, expected) => {
    const request = read(messages.map(([role, content]) => ({ role, content })));
    expect([request.system, request.messages]).toEqual([system, expected]);
  });
});
