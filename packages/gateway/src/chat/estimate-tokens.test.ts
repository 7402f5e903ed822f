import { expect, it } from "vitest";
import type { DoorRequest } from "./door-request.ts";
import { estimatePrompt, estimateRequestTokens } from "./estimate-tokens.ts";

const nothing: DoorRequest = {
  door: "anthropic",
  requestedModel: { model: undefined, cursorModel: undefined, effort: undefined, thinking: undefined },
  system: "",
  messages: [],
  tools: [],
  unavailableTools: [],
  toolChoice: "auto",
  callableTools: undefined,
  parallelCalls: true,
  maxOutputTokens: undefined,
  stopSequences: [],
  ignored: [],
  sessionKey: undefined,
  workspace: undefined,
  owner: undefined,
};

it("counts system text, transcript, calls, results, images and schemas", () => {
  const text = (length: number) => ({ kind: "text" as const, text: "x".repeat(length) });
  const image = { kind: "image", mediaType: "image/png", data: "A".repeat(99_999) } as const;
  const tool = { name: "read", inputSchema: { type: "object" } };
  const requests: DoorRequest[] = [
    nothing,
    { ...nothing, system: "x".repeat(40) },
    { ...nothing, messages: [{ role: "user", parts: [text(40), text(4)] }] },
    { ...nothing, messages: [{ role: "user", parts: [image] }] },
    { ...nothing, messages: [{ role: "tool", callId: "c", parts: [text(8)], isError: false }] },
    {
      ...nothing,
      messages: [{ role: "assistant", text: "12345678", calls: [{ callId: "c", name: "read", input: { a: 1 } }] }],
    },
    {
      ...nothing,
      messages: [{ role: "assistant", text: "", calls: [{ callId: "c", name: "read", input: undefined }] }],
    },
    { ...nothing, tools: [tool] },
  ];
  const toolTokens = Math.ceil(JSON.stringify(tool).length / 4);
  expect(requests.map(estimateRequestTokens)).toEqual([0, 10, 11, 1600, 2, 5, 1, toolTokens]);
});

it("separates what a request is the first to bring from what was sent before", () => {
  const user = { role: "user", parts: [{ kind: "text", text: "x".repeat(40) }] } as const;
  const answer = { role: "assistant", text: "x".repeat(8), calls: [] } as const;
  const requests = [[], [user], [user, answer, user], [user, answer, user, answer, user]];
  const system = "x".repeat(400);
  expect(requests.map((messages) => estimatePrompt({ ...nothing, system, messages }))).toEqual([
    { fresh: 100, repeated: 0 },
    { fresh: 110, repeated: 0 },
    { fresh: 12, repeated: 110 },
    { fresh: 12, repeated: 122 },
  ]);
});
