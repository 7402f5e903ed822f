import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import type { ModelCache, ModelList } from "./model-cache.ts";
import { createModelDirectory } from "./model-directory.ts";

const list: ModelList = {
  fetchedAt: 0,
  models: [
    ["composer-9", "Composer 9"],
    ["composer-9-fast", "Composer 9 Fast"],
    ["auto", "Auto"],
    ["gpt-7-mini", "GPT-7 mini"],
  ].map(([id = "", name = ""]) => ({ id, name, isCurrent: false, isDefault: id === "composer-9-fast" })),
};

function directoryOver(get: ModelCache["get"], named: readonly string[] = []) {
  const cache: ModelCache = { get, refresh: async () => list, settled: () => Promise.resolve() };
  return createModelDirectory({ cache, named, defaultModel: "auto" });
}

const requested = { model: undefined, cursorModel: undefined, effort: undefined, thinking: undefined };

it("lists auto first, families as one, and the models of the configuration", async () => {
  expect(await directoryOver(async () => list, ["mine"]).list()).toEqual([
    { id: "mine", name: "mine", isDefault: false },
    { id: "auto", name: "Auto", isDefault: false },
    { id: "gpt-7-mini", name: "GPT-7 mini", isDefault: false },
    {
      id: "composer-9",
      name: "Composer 9",
      isDefault: true,
      variants: [
        { id: "composer-9", name: "Composer 9" },
        { id: "composer-9-fast", name: "Composer 9 Fast" },
      ],
      defaultVariant: "composer-9",
    },
  ]);
});

it.each([
  [{ model: "caret/composer-9" }, "composer-9"],
  [{ model: "whatever", cursorModel: "composer-9-fast" }, "composer-9-fast"],
  [{ model: "caret/mine" }, "mine"],
  [{ model: " ", effort: "high" }, "auto"],
  [{}, "auto"],
])("resolves %j to %s", async (asked, expected) => {
  expect(await directoryOver(async () => list, ["mine"]).resolve({ ...requested, ...asked })).toBe(expected);
});

it("names the nearest models when there is none of that name", async () => {
  await expect(directoryOver(async () => list).resolve({ ...requested, model: "composer-8x" })).rejects.toMatchObject({
    code: "model-unknown",
    fix: expect.stringContaining("composer-9"),
  });
});

it("lets upstream judge the name when nobody could list the models, but cannot list them itself", async () => {
  const directory = directoryOver(() => Promise.reject(new CaretError("not-logged-in", "Log in first")));
  expect(await directory.resolve({ ...requested, model: "anything" })).toBe("anything");
  await expect(directory.list()).rejects.toMatchObject({ code: "not-logged-in" });
});

it("lists auto even when now is no time to ask for the others", async () => {
  expect(await directoryOver(async () => undefined).list()).toEqual([{ id: "auto", name: "Auto", isDefault: false }]);
});

it("does not wait for a list to know what auto is", async () => {
  const directory = directoryOver(() => new Promise(() => undefined));
  expect(await directory.resolve({ ...requested, model: "auto" })).toBe("auto");
});
