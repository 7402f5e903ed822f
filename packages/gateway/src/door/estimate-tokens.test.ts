import { expect, it } from "vitest";
import type { DoorRequest } from "./door-request.ts";
import { estimateRequestTokens, tokensOf } from "./estimate-tokens.ts";

const nothing: DoorRequest = {
  door: "anthropic",
  wish: { model: undefined, cursorModel: undefined, effort: undefined, thinking: undefined },
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

it("counts a token for every four characters begun", () => {
  expect([0, 1, 4, 5].map(tokensOf)).toEqual([0, 1, 1, 2]);
});

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
