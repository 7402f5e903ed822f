import type { DirectoryModel } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { toAnthropicModels, toOpenaiModels } from "./route.ts";

const models: readonly DirectoryModel[] = [
  { id: "auto", name: "Auto", isDefault: false },
  {
    id: "gpt-5.5",
    name: "GPT-5.5",
    isDefault: true,
    created: Date.UTC(2026, 0, 2),
    contextTokens: 272_000,
    images: true,
    variants: [{ id: "gpt-5.5-high", name: "High" }],
  },
  { id: "opus", name: "Opus", isDefault: false },
];

it("lists models for OpenAI's clients, with what Caret knows more: limits and prices where they are known", () => {
  expect(toOpenaiModels(models)).toEqual({
    object: "list",
    data: [
      {
        id: "auto",
        object: "model",
        created: 0,
        owned_by: "cursor",
        name: "Auto",
        cost: { input: 1.25, output: 6, cache_read: 0.25, cache_write: 1.25 },
      },
      {
        id: "gpt-5.5",
        object: "model",
        created: 1767312000,
        owned_by: "cursor",
        name: "GPT-5.5",
        variants: [{ id: "gpt-5.5-high", name: "High" }],
        context_window: 272_000,
        images: true,
        cost: { input: 5, output: 30, cache_read: 0.5, cache_write: 5 },
      },
      { id: "opus", object: "model", created: 0, owned_by: "cursor", name: "Opus" },
    ],
  });
});

describe("models for Anthropic's clients", () => {
  it("are all listed when nobody asks for pages", () => {
    expect(toAnthropicModels(models)).toEqual({
      data: [
        { type: "model", id: "auto", display_name: "Auto", created_at: "1970-01-01T00:00:00.000Z" },
        { type: "model", id: "gpt-5.5", display_name: "GPT-5.5", created_at: "2026-01-02T00:00:00.000Z" },
        { type: "model", id: "opus", display_name: "Opus", created_at: "1970-01-01T00:00:00.000Z" },
      ],
      has_more: false,
      first_id: "auto",
      last_id: "opus",
    });
  });

  it.each([
    [{ limit: "2" }, ["auto", "gpt-5.5"], true],
    [{ limit: "1000" }, ["auto", "gpt-5.5", "opus"], false],
    [{ limit: "many" }, ["auto", "gpt-5.5", "opus"], false],
    [{ limit: "-3" }, ["auto"], true],
    [{ after_id: "auto", limit: "1" }, ["gpt-5.5"], true],
    [{ after_id: "gpt-5.5" }, ["opus"], false],
    [{ before_id: "opus", limit: "1" }, ["gpt-5.5"], true],
    [{ after_id: "opus" }, [], false],
  ])("come in pages: %j", (query, ids, hasMore) => {
    const page = toAnthropicModels(models, query);
    expect([page.data.map(({ id }) => id), page.has_more, page.first_id, page.last_id]).toEqual([
      ids,
      hasMore,
      ids[0] ?? null,
      ids.at(-1) ?? null,
    ]);
  });
});
