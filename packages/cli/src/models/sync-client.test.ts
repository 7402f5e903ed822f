import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DirectoryModel } from "@caret/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Host } from "../host/host.ts";
import { jsoncEditor } from "../install/jsonc-editor.ts";
import { parseSettings } from "../install/settings-editors.ts";
import { asEntry, clientLists, type Entry } from "./client-list.ts";
import { findClientList } from "./find-client-list.ts";
import { type SyncChoices, type Synced, syncClient } from "./sync-client.ts";
import { generatedIds, listed } from "./testing/generated-lists.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-sync-")));
  file = join(directory, "opencode.jsonc");
});
afterEach(() => rmSync(directory, { recursive: true }));

const handEdited = `{
  "$schema": "https://opencode.ai/config.json", // kept by hand
  "model": "caret/line-1-high",
  "provider": {
    "caret": {
      "options": { "baseURL": "http://127.0.0.1:4141/v1" },
      "models": {
        // my own
        "mine": { "name": "Mine", "id": "gpt-9" },
        "auto": { "name": "My auto", "limit": { "context": 1, "output": 2 }, "unheardOf": true },
      },
    },
  },
}
`;

const direct: SyncChoices = { variants: false, compact: false, prune: false, dryRun: false };
const compact: SyncChoices = { variants: true, compact: true, prune: false, dryRun: false };

function sync(models: readonly DirectoryModel[], choices: SyncChoices, id = "opencode", path = file): Synced {
  const client = clientLists.find((list) => list.id === id);
  const found = client && findClientList({ env: {}, home: directory, cwd: directory } as Host, client, path);
  if (found === undefined) throw new Error(`No list of ${id}`);
  return syncClient(found, models, choices);
}

function counts({ added, updated, removed, priced, skipped }: Synced): readonly number[] {
  return [added, updated, removed, priced, skipped].map(({ length }) => length);
}

function modelsOf(path = file): Readonly<Record<string, Entry>> {
  const { provider } = jsoncEditor.parse(readFileSync(path, "utf8")) as {
    provider: { caret: { models: Record<string, Entry> } };
  };
  return provider.caret.models;
}

it("has nothing to do again for a list that names a model twice: the first counts", async () => {
  writeFileSync(file, '{"providers": {"caret": {"models": [{"id": "auto", "name": "A"}, {"id": "auto"}, {}, 7]}}}');
  const models = await listed(["auto"]);
  expect([sync(models, direct, "pi").changed, sync(models, direct, "pi").changed]).toEqual([true, false]);
});

it.each(["null", "[]", '"x"'])("names the file in which %s stands in the place of the list", async (value) => {
  writeFileSync(file, `{"provider": {"caret": {"models": ${value}}}}`);
  const models = await listed(["auto"]);
  expect(() => sync(models, direct)).toThrow(
    `${file} cannot be changed: a setting in the way of provider.caret.models.auto is not an object`,
  );
});

describe.each([80, 223, 246])("a list of %d ids", (count) => {
  it("is written id by id, then as families with variants, and again nothing changes", async () => {
    writeFileSync(file, handEdited);
    const models = await listed(generatedIds(count));
    const first = sync(models, direct);
    expect(counts(first)).toEqual([count - 1, 1, 0, 2, 1]);
    expect(Object.keys(modelsOf())).toEqual(["mine", "auto", ...generatedIds(count).slice(1)]);
    const text = readFileSync(file, "utf8");
    expect([counts(sync(models, direct)), readFileSync(file, "utf8")]).toEqual([[0, 0, 0, 2, 1], text]);

    const families = models.filter(({ variants }) => variants !== undefined);
    const folded = families.flatMap(({ variants = [] }) => variants.map(({ id }) => id));
    const second = sync(models, compact);
    // The file's default model stays, although a family covers it.
    expect({ added: second.added, removed: second.removed }).toEqual({
      added: families.map(({ id }) => id),
      removed: folded.filter((id) => id !== "line-1-high"),
    });
    expect(second.skipped).toEqual([
      { id: "line-1-high", why: "the file names it elsewhere" },
      { id: "mine", why: "not listed by Cursor" },
    ]);
    expect(modelsOf()["line-1"]).toEqual({
      name: "LINE-1-MEDIUM",
      options: { cursorModel: "line-1-medium" },
      variants: Object.fromEntries(
        generatedIds(10)
          .slice(2)
          .map((id) => [id.slice("line-1-".length), { cursorModel: id }]),
      ),
    });
    const compacted = readFileSync(file, "utf8");
    expect([sync(models, compact).changed, readFileSync(file, "utf8")]).toEqual([false, compacted]);
    for (const kept of [
      "// kept by hand",
      "// my own",
      `"unheardOf": true`,
      `"My auto"`,
      `{ "context": 1, "output": 2 }`,
    ])
      expect(compacted).toContain(kept);
  });
});

it("reaches every id of any list by exactly one entry or variant, and a second run changes nothing", async () => {
  const word = fc.constantFrom(
    "gpt",
    "5.4",
    "codex",
    "mini",
    "max",
    "high",
    "low",
    "thinking",
    "fast",
    "300k",
    "none",
    "opus",
  );
  const anyId = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join("-"));
  const anyChoice = fc.record({ variants: fc.boolean(), compact: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(anyId, { maxLength: 25 }),
      anyChoice,
      async (ids, { variants, compact: smaller }) => {
        writeFileSync(file, `{"provider": {"caret": {}}}`);
        const models = await listed(ids);
        sync(models, { ...direct, variants, compact: variants && smaller });
        const entries = modelsOf();
        const reached = Object.entries(entries ?? {}).flatMap(([id, entry]) => {
          const named = Object.values(asEntry(entry["variants"]) ?? {}).map(
            (variant) => asEntry(variant)?.["cursorModel"],
          );
          const target = asEntry(entry["options"])?.["cursorModel"] ?? id;
          return named.includes(target) ? named : [target, ...named];
        });
        expect(reached.toSorted()).toEqual([...new Set(["auto", ...ids])].toSorted());
        expect(sync(models, { ...direct, variants, compact: variants && smaller }).changed).toBe(false);
      },
    ),
    { numRuns: 60 },
  );
});

it("takes away a variant whose model is gone, and leaves those that a person made", async () => {
  const own = { quick: { cursorModel: "line-1-low" }, odd: { cursorModel: "gone-1" }, warm: { temperature: 1 } };
  const entry = {
    name: "Line",
    options: { cursorModel: "line-1-max" },
    variants: { max: { cursorModel: "line-1-max" }, ...own },
  };
  writeFileSync(file, JSON.stringify({ provider: { caret: { models: { "line-1": entry } } } }, undefined, 2));
  const synced = sync(await listed(["line-1-low", "line-1-medium"]), { ...compact, compact: false });
  expect(synced.updated).toEqual(["line-1"]);
  expect(modelsOf()["line-1"]).toEqual({
    name: "Line",
    options: { cursorModel: "line-1-medium" },
    variants: { ...own, low: { cursorModel: "line-1-low" }, medium: { cursorModel: "line-1-medium" } },
  });
});

it("prices what has a price, with the long and the cached rate, and corrects one that changed", async () => {
  writeFileSync(
    file,
    `{"provider": {"cursor-acp": {"models": {"gpt-5.5-high": {"cost": {"input": 1, "output": 2}}}}}}`,
  );
  const synced = sync(await listed(["gpt-5.5-high", "new-model"]), direct);
  const { provider } = jsoncEditor.parse(readFileSync(file, "utf8")) as {
    provider: { "cursor-acp": { models: Record<string, Entry> } };
  };
  expect({ priced: synced.priced, updated: synced.updated }).toEqual({
    priced: ["auto", "gpt-5.5-high"],
    updated: ["gpt-5.5-high"],
  });
  expect(provider["cursor-acp"].models["gpt-5.5-high"]?.["cost"]).toEqual({
    input: 5,
    output: 30,
    cache_read: 0.5,
    cache_write: 5,
    context_over_200k: { input: 10, output: 45, cache_read: 1, cache_write: 10 },
  });
  expect(provider["cursor-acp"].models["new-model"]).toEqual({ name: "NEW-MODEL" });
});

it("writes lists of Pi and Zed too, which know no variants", async () => {
  const pi = join(directory, "models.json");
  writeFileSync(pi, `{"providers": {"caret": {"models": [{"id": "auto", "name": "Mine", "reasoning": true}]}}}`);
  const models = await listed(["auto", "gpt-5.5-high"]);
  expect(counts(sync(models, direct, "pi", pi))).toEqual([1, 1, 0, 2, 0]);
  expect(sync(models, direct, "pi", pi).changed).toBe(false);
  expect(jsoncEditor.parse(readFileSync(pi, "utf8"))).toEqual({
    providers: {
      caret: {
        models: [
          {
            id: "auto",
            name: "Mine",
            reasoning: true,
            cost: { input: 1.25, output: 6, cacheRead: 0.25, cacheWrite: 1.25 },
          },
          { id: "gpt-5.5-high", name: "GPT-5.5-HIGH", cost: { input: 5, output: 30, cacheRead: 0.5, cacheWrite: 5 } },
        ],
      },
    },
  });
  const zed = join(directory, "settings.json");
  writeFileSync(zed, `{"language_models": {"openai_compatible": {"caret": {"api_url": "http://127.0.0.1:4141/v1"}}}}`);
  expect(sync(models, direct, "zed", zed).added).toEqual(["auto", "gpt-5.5-high"]);
  expect(() => sync(models, compact, "zed", zed)).toThrow("Zed knows no variants of a model");
});

it("prunes what a sync wrote and Cursor does not list any more, and nothing of the user's", async () => {
  const models = (kept: object) =>
    JSON.stringify({ model: "caret/in-use-1", provider: { caret: { models: kept } } }, undefined, 2);
  writeFileSync(file, models({}));
  sync(await listed(["old-1-low", "old-1-high", "in-use-1", "edited-1"]), { ...compact, compact: false });
  const entries = modelsOf();
  const own = { mine: {}, "edited-1": { ...entries["edited-1"], temperature: 1 } };
  writeFileSync(file, models({ ...entries, ...own }));
  const synced = sync(await listed(["new-1"]), { ...direct, prune: true });
  expect([synced.added, synced.removed, synced.skipped]).toEqual([
    ["new-1"],
    ["old-1"],
    [
      { id: "in-use-1", why: "not listed by Cursor, but the file names it elsewhere" },
      { id: "edited-1", why: "not listed by Cursor, but it has a field of its own: temperature" },
      { id: "mine", why: "not listed by Cursor, but it has no name, which a sync writes" },
    ],
  ]);
  expect(Object.keys(modelsOf())).toEqual(["auto", "in-use-1", "edited-1", "mine", "new-1"]);
});

const continueFile = `name: Mine
models:
  # not Caret's
  - name: GPT
    provider: openai
    model: gpt-5.5-high
    apiKey: sk-1
  - name: Caret
    provider: openai
    model: auto
    apiBase: http://127.0.0.1:4141/v1
    apiKey: caret_abc
    roles: [chat]
`;

it("adds to Continue's list with the address and token of its own entry, beside other providers' models of the same name", async () => {
  const path = join(directory, "config.yaml");
  writeFileSync(path, continueFile);
  const models = await listed(["auto", "gpt-5.5-high"]);
  const synced = sync(models, direct, "continue", path);
  expect([synced.added, synced.updated, synced.settings.length]).toEqual([["gpt-5.5-high"], [], 1]);
  expect(readFileSync(path, "utf8")).toMatch(/^name: Mine\nmodels:\n {2}# not Caret's\n/);
  expect(parseSettings("yaml", readFileSync(path, "utf8"))).toEqual({
    name: "Mine",
    models: [
      { name: "GPT", provider: "openai", model: "gpt-5.5-high", apiKey: "sk-1" },
      {
        name: "Caret",
        provider: "openai",
        model: "auto",
        apiBase: "http://127.0.0.1:4141/v1",
        apiKey: "caret_abc",
        roles: ["chat"],
      },
      {
        name: "GPT-5.5-HIGH",
        model: "gpt-5.5-high",
        provider: "openai",
        apiBase: "http://127.0.0.1:4141/v1",
        apiKey: "caret_abc",
        roles: ["chat"],
      },
    ],
  });
  expect(sync(models, direct, "continue", path).changed).toBe(false);
  expect(sync(await listed(["auto"]), { ...direct, prune: true }, "continue", path).removed).toEqual(["gpt-5.5-high"]);
  expect(readFileSync(path, "utf8")).toBe(continueFile);
});

it("adds to Droid's list, and keeps the model that is its default when that is gone", async () => {
  const path = join(directory, "settings.json");
  const own = { model: "auto", displayName: "auto", baseUrl: "http://127.0.0.1:4141/v1", apiKey: "caret_abc" };
  writeFileSync(path, JSON.stringify({ model: "custom:old-1", customModels: [own] }));
  sync(await listed(["auto", "old-1", "old-2"]), direct, "droid", path);
  const { added, removed, skipped } = sync(await listed(["auto"]), { ...direct, prune: true }, "droid", path);
  expect([added, removed, skipped]).toEqual([
    [],
    ["old-2"],
    [{ id: "old-1", why: "not listed by Cursor, but the file names it elsewhere" }],
  ]);
  expect(jsoncEditor.parse(readFileSync(path, "utf8"))).toEqual({
    model: "custom:old-1",
    customModels: [own, { ...own, model: "old-1", displayName: "OLD-1" }],
  });
});

it("writes nothing in a dry run, keeps permissions and links, and touches no file that does not parse", async () => {
  const models = await listed(generatedIds(20));
  writeFileSync(file, handEdited);
  expect([counts(sync(models, { ...direct, dryRun: true })), readFileSync(file, "utf8")]).toEqual([
    [19, 1, 0, 2, 1],
    handEdited,
  ]);
  chmodSync(file, 0o640);
  const link = join(directory, "link.json");
  symlinkSync(file, link);
  sync(models, direct, "opencode", link);
  expect([statSync(file).mode & 0o777, readFileSync(link, "utf8")]).toEqual([0o640, readFileSync(file, "utf8")]);
  writeFileSync(file, `${handEdited}}`);
  expect(() => sync(models, direct)).toThrow(`${file}: it is not JSON`);
  expect(readFileSync(file, "utf8")).toBe(`${handEdited}}`);
});
