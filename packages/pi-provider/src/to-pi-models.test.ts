import { expect, it } from "vitest";
import { onlyAuto, toPiModels } from "./to-pi-models.ts";

it("gives Pi the limits, prices and abilities of every model, and Pi's own assumptions where Caret knows none", () => {
  const data = [
    {
      id: "gpt-5.5",
      object: "model",
      name: "GPT-5.5",
      variants: [{ id: "gpt-5.5-high", name: "High" }],
      context_window: 272_000,
      images: true,
      cost: { input: 5, output: 30, cache_read: 0.5, cache_write: 5 },
    },
    { id: "small", object: "model", context_window: 8_000, images: false },
  ];
  expect(toPiModels({ object: "list", data })).toEqual([
    {
      id: "gpt-5.5",
      name: "GPT-5.5",
      reasoning: true,
      input: ["text", "image"],
      cost: { input: 5, output: 30, cacheRead: 0.5, cacheWrite: 5 },
      contextWindow: 272_000,
      maxTokens: 16_384,
    },
    {
      id: "small",
      name: "small",
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 8_000,
      maxTokens: 8_000,
    },
  ]);
});

it("has one model where there is no list", () => {
  expect(onlyAuto.map(({ id }) => id)).toEqual(["auto"]);
});
