import { type AgentEvent, CaretError, errorCodes } from "@caret/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { displayOf } from "../activity-text.ts";
import { countAnswer } from "../answer-usage.ts";
import type { AnswerEnding } from "../serve-answer.ts";
import { createMemoryItemStore } from "./item-store.ts";
import { type EventFraming, lineFraming, linesOf, sseFraming, sseOf, storedFraming } from "./making/event-framing.ts";
import { readResponsesRequest } from "./request.ts";
import { ResponseStream, toResponse } from "./stream.ts";
import { responseSchema } from "./testing/published-schema.ts";
import { StreamModel } from "./testing/stream-model.ts";

const words = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });
const blockId = fc.constantFrom("a", "b", "c");

const tools = [
  { type: "function", name: "read", parameters: { type: "object" } },
  { type: "function", name: "write", description: "Writes.", strict: true },
  { type: "custom", name: "patch" },
  { type: "namespace", name: "fs", tools: [{ type: "function", name: "list" }] },
  { type: "shell" },
  { type: "local_shell" },
  { type: "apply_patch" },
  { type: "web_search" },
];

/** A block of text or thinking in pieces, possibly interrupted by something else, possibly never ended. */
const block = fc
  .record({
    kind: fc.constantFrom("text", "thinking"),
    blockId,
    pieces: fc.array(words, { maxLength: 4 }),
    ends: fc.boolean(),
  })
  .map(({ kind, blockId: id, pieces, ends }): AgentEvent[] => [
    { type: `${kind}-start`, blockId: id } as AgentEvent,
    ...pieces.map((text) => ({ type: `${kind}-delta`, blockId: id, text }) as AgentEvent),
    ...(ends ? [{ type: `${kind}-end`, blockId: id } as AgentEvent] : []),
  ]);

const call = fc
  .record({
    callId: fc.string({ minLength: 1, maxLength: 8 }),
    name: fc.constantFrom("read", "write", "patch", "list", "shell", "local_shell", "apply_patch", "unheard-of"),
    owner: fc.constantFrom("client", "agent"),
    input: fc.oneof(fc.dictionary(words, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }), fc.jsonValue({ maxDepth: 1 })),
  })
  .map((fields): AgentEvent[] => [{ type: "tool-call", kind: "mcp", ...fields } as AgentEvent]);

const usage = fc
  .record(
    Object.fromEntries(["input", "output", "cacheRead", "cacheWrite", "reasoning"].map((name) => [name, fc.nat(9999)])),
    { requiredKeys: [] },
  )
  .map((counted): AgentEvent[] => [{ type: "usage", usage: counted }]);

const plan = words.map((text): AgentEvent[] => [{ type: "plan", text }]);
const turn = fc.array(fc.oneof(block, block, call, usage, plan), { maxLength: 8 }).map((parts) => parts.flat());

const body = fc.record(
  {
    input: fc.constant("Hello"),
    model: fc.constantFrom("auto", "gpt-5", null),
    instructions: fc.option(words),
    tools: fc.subarray(tools),
    tool_choice: fc.constantFrom("auto", "required", "none", null),
    temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
    top_p: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    presence_penalty: fc.constantFrom(0, -1.5, null),
    frequency_penalty: fc.constantFrom(0, 2, null),
    max_output_tokens: fc.constantFrom(5, null),
    max_tool_calls: fc.constantFrom(3, null),
    parallel_tool_calls: fc.option(fc.boolean()),
    background: fc.option(fc.boolean()),
    metadata: fc.option(fc.dictionary(words, words, { maxKeys: 2 })),
    reasoning: fc.constantFrom({ effort: "none" }, { effort: "high", summary: "auto" }, {}, null),
    text: fc.constantFrom(
      { format: { type: "text" } },
      { verbosity: "low" },
      { format: { type: "json_object" } },
      { format: { type: "json_schema", name: "x", schema: { type: "object" } } },
      { format: { type: "json_schema", name: "x", schema: { type: "array" }, strict: true, description: "A list." } },
      null,
    ),
    truncation: fc.constantFrom("auto", "disabled", null),
    prompt_cache_key: fc.option(words),
    safety_identifier: fc.option(words),
    user: fc.option(words),
    service_tier: fc.constantFrom("flex", "auto", null),
    top_logprobs: fc.constantFrom(0, null),
  },
  { requiredKeys: ["input"] },
);

const ending: fc.Arbitrary<AnswerEnding> = fc.oneof(
  fc.constant<AnswerEnding>({ kind: "finished" }),
  fc.constant<AnswerEnding>({ kind: "finished", cut: { kind: "length" } }),
  fc
    .constantFrom(...errorCodes)
    .map((code): AnswerEnding => ({ kind: "failed", error: new CaretError(code, "No").toInfo() })),
);

function streamOf(value: object, framing: EventFraming): ResponseStream {
  const { body: asked, request } = readResponsesRequest(value, {}, { owner: "me", items: createMemoryItemStore() });
  return new ResponseStream(optionsOf(asked, request, framing));
}

function optionsOf(
  asked: ReturnType<typeof readResponsesRequest>["body"],
  request: ReturnType<typeof readResponsesRequest>["request"],
  framing: EventFraming,
) {
  let made = 0;
  return {
    ...{ id: "resp_1", createdAt: 5, model: "auto", body: asked, request, framing },
    newId: () => String(++made),
    now: () => 7000,
    showActivity: displayOf(request, "reasoning"),
    count: countAnswer(request, { startsTurn: true, relation: "new" }),
  };
}

/** The events of a wire in any framing, as a client reads them. */
function read(wire: string, framing: EventFraming): unknown[] {
  const frames = framing === sseFraming ? wire : linesOf(wire).map(sseOf).join("");
  const texts = frames.split("\n\n").slice(0, -1);
  if (framing === sseFraming) expect(texts.pop()).toBe("data: [DONE]");
  return texts.map((frame) => {
    const [, type, data = ""] = /^event: (.+)\ndata: (.+)$/s.exec(frame) ?? [];
    const event = JSON.parse(data) as { readonly type: string };
    expect(event.type).toBe(type);
    return event;
  });
}

it("streams and responses are as they are published, whatever an agent says and however it ends", () => {
  const framings = fc.constantFrom(sseFraming, lineFraming, storedFraming);
  fc.assert(
    fc.property(body, turn, fc.array(fc.nat(40)), ending, framings, (value, events, cuts, how, framing) => {
      const stream = streamOf(value, framing);
      const edges = [0, ...cuts.filter((cut) => cut < events.length).toSorted((a, b) => a - b), events.length];
      let wire = "";
      for (const [index, edge] of edges.slice(1).entries()) {
        responseSchema.parse(stream.response);
        wire += stream.write(events.slice(edges[index], edge));
      }
      wire += stream.end(how);
      const model = new StreamModel();
      for (const event of read(wire, framing)) model.take(event);
      expect(model.isOver).toBe(true);
      responseSchema.parse(stream.response);
    }),
    { numRuns: 300 },
  );
});

it("a whole response says the same as the end of its stream, however its events come", () => {
  fc.assert(
    fc.property(body, turn, (value, events) => {
      const { body: asked, request } = readResponsesRequest(value, {}, { owner: "me", items: createMemoryItemStore() });
      const stream = new ResponseStream(optionsOf(asked, request, sseFraming));
      for (const event of events) stream.write([event]);
      stream.end({ kind: "finished" });
      expect(toResponse(events, optionsOf(asked, request, sseFraming))).toEqual(stream.response);
    }),
    { numRuns: 100 },
  );
});
