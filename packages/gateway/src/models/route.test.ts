import Anthropic from "@anthropic-ai/sdk";
import { CaretError } from "@caret/protocol";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { type ServedDoor, serveDoor } from "../chat/openai/testing/serve-door.ts";
import { modelsDoor } from "./route.ts";

type ListedModels = Parameters<typeof modelsDoor>[0]["models"];

const aliases = new Map([
  ["opus", "claude-9-opus"],
  ["caret/opus", "claude-9-opus"],
  ["gpt-5", "gpt-7-high"],
]);

const directory: ListedModels = {
  list: async () => [
    { id: "auto", name: "Auto", isDefault: false },
    { id: "team/opus[effort=high]", name: "Opus", isDefault: false },
    { id: "claude-9-opus", name: "Opus 9", isDefault: false },
    { id: "gpt-7", name: "GPT 7", isDefault: false, variants: [{ id: "gpt-7-high", name: "GPT 7 High" }] },
  ],
  resolve: async ({ model = "" }) => {
    const id = aliases.get(model) ?? ["gpt-7-high"].find((listed) => listed === model);
    if (id === undefined) throw new CaretError("model-unknown", `There is no model "${model}"`);
    return id;
  },
};
const broken: ListedModels = {
  ...directory,
  list: () => Promise.reject(new CaretError("cli-missing", "There is no agent")),
};

const openai = ({ url }: ServedDoor) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "x" });
const anthropic = ({ url }: ServedDoor) => new Anthropic({ baseURL: url, apiKey: "x" });

it("lists and shows models to OpenAI's SDK", async () => {
  await using door = await serveDoor(modelsDoor({ models: directory }));
  const { data } = await openai(door).models.list();
  const model = await openai(door).models.retrieve("team/opus[effort=high]");
  expect([data.map(({ id }) => id), model.id]).toEqual([
    ["auto", "team/opus[effort=high]", "claude-9-opus", "gpt-7"],
    "team/opus[effort=high]",
  ]);
});

it("lists and shows models to Anthropic's SDK", async () => {
  await using door = await serveDoor(modelsDoor({ models: directory }));
  const names: string[] = [];
  for await (const { display_name } of anthropic(door).models.list({ limit: 1 })) names.push(display_name);
  const model = await anthropic(door).models.retrieve("auto");
  expect([names, model.display_name]).toEqual([["Auto", "Opus", "Opus 9", "GPT 7"], "Auto"]);
});

it.each([
  ["opus", "Opus 9", "claude-9-opus"],
  ["caret/opus", "Opus 9", "claude-9-opus"],
  ["gpt-5", "GPT 7 High", "gpt-7-high"],
  ["gpt-7-high", "GPT 7 High", "gpt-7-high"],
])("shows the model that turns run for %s: %s", async (asked, name, id) => {
  await using door = await serveDoor(modelsDoor({ models: directory }));
  const model = await openai(door).models.retrieve(asked);
  const other = await anthropic(door).models.retrieve(asked);
  expect([model, other]).toEqual([
    expect.objectContaining({ id: asked, object: "model", name }),
    { type: "model", id, display_name: name, created_at: "1970-01-01T00:00:00.000Z" },
  ]);
});

it("answers each client in its own shape that a model is unknown or cannot be listed", async () => {
  await using door = await serveDoor(modelsDoor({ models: directory }));
  await using failing = await serveDoor(modelsDoor({ models: broken }));
  const bodies = await Promise.all(
    [door, failing].flatMap(({ url }) =>
      [{}, { "anthropic-version": "2026-10-21" }].map(async (headers) => {
        const response = await fetch(`${url}/v1/models/gpt-9`, { headers });
        const body = (await response.json()) as { type?: string; error: { type: string } };
        return [response.status, body.type, body.error.type];
      }),
    ),
  );
  expect(bodies).toEqual([
    [404, undefined, "invalid_request_error"],
    [404, "error", "not_found_error"],
    [424, undefined, "turn_failed"],
    [424, "error", "turn_failed"],
  ]);
});
