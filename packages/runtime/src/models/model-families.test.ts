import { parseModelSlug } from "@caret/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalogueIds, explicitParams, groupModels, type ModelCatalogue, pickVariant } from "./model-families.ts";
import { expandPattern, listedModelIds } from "./testing/listed-models.ts";

function familyOf(ids: readonly string[], base: string) {
  const family = groupModels(ids).families.find((candidate) => candidate.base === base);
  if (family === undefined) throw new Error(`No family ${base}`);
  return family;
}

function basesAndDirect({ families, direct }: ModelCatalogue) {
  return { bases: families.map(({ base }) => base), direct };
}

describe("parseModelSlug", () => {
  it.each([
    ["gpt-5.4-mini-high", "gpt-5.4-mini", { effort: "high" }],
    ["gpt-5.5-extra-high-fast", "gpt-5.5", { effort: "xhigh", fast: true }],
    ["claude-opus-5-thinking-high", "claude-opus-5", { effort: "high", thinking: true }],
    ["claude-4.6-opus-high-thinking", "claude-4.6-opus", { effort: "high", thinking: true }],
    ["gpt-5.1-codex-max", "gpt-5.1-codex-max", {}],
    ["gpt-5.1-codex-max-high", "gpt-5.1-codex-max", { effort: "high" }],
    ["kimi-k2.7-code", "kimi-k2.7-code", {}],
    ["claude-opus-4-7-max-fast", "claude-opus-4-7", { effort: "max", fast: true }],
    ["swift-high-max", "swift-high", { effort: "max" }],
    ["claude-opus-5-5-high-300k-fast", "claude-opus-5-5", { effort: "high", context: "300k", fast: true }],
    ["fast", "fast", {}],
    ["extra-high", "extra", { effort: "high" }],
  ])("reads %s", (id, base, params) => {
    expect(parseModelSlug(id)).toEqual({ base, params });
  });
});

describe("groupModels", () => {
  it("leaves models without siblings as they are", () => {
    const ids = ["auto", "composer-1.5", "gemini-3-flash", "gpt-5-mini", "kimi-k2.5", "glm-9-high"];
    expect(groupModels(ids)).toEqual({ families: [], direct: ids });
  });

  it("makes a family of ids that differ in effort, and takes medium for its default", () => {
    expect(groupModels(["gpt-5.5-high", "gpt-5.5-medium", "gpt-5.5-extra-high"])).toEqual({
      families: [
        {
          base: "gpt-5.5",
          variants: [
            { id: "gpt-5.5-high", params: { effort: "high" } },
            { id: "gpt-5.5-medium", params: { effort: "medium" } },
            { id: "gpt-5.5-extra-high", params: { effort: "xhigh" } },
          ],
          defaultId: "gpt-5.5-medium",
        },
      ],
      direct: [],
    });
  });

  it("takes the usual context for a family's default", () => {
    const family = familyOf(
      ["claude-opus-5-5-high-300k", "claude-opus-5-5-high", "claude-opus-5-5-high-fast"],
      "claude-opus-5-5",
    );
    expect({ defaultId: family.defaultId, asked: pickVariant(family, { context: "300k" })?.id }).toEqual({
      defaultId: "claude-opus-5-5-high",
      asked: "claude-opus-5-5-high-300k",
    });
  });

  it("never takes mini and nano for variants, even when the bare model is listed too", () => {
    const ids = ["gpt-5.4", "gpt-5.4-high", ...expandPattern("gpt-5.4-{mini,nano}-{low,high}")];
    expect(basesAndDirect(groupModels(ids))).toEqual({
      bases: ["gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano"],
      direct: [],
    });
  });

  it("keeps thinking apart from effort, in one family", () => {
    const family = familyOf(["claude-opus-5-high", "claude-opus-5-thinking-high"], "claude-opus-5");
    expect(family.variants.map(({ params }) => params)).toEqual([
      { effort: "high" },
      { effort: "high", thinking: true },
    ]);
  });

  it.each([
    [["x-high", "x"], "x"],
    [["x-fast", "x-max"], "x-max"],
    [["x-thinking-medium", "x-max"], "x-max"],
    [["x-none", "x-low", "x-high"], "x-high"],
    [["x-max", "x-xhigh", "x-none"], "x-none"],
  ])("of %j the default is %s", (ids, expected) => {
    expect(familyOf(ids, "x").defaultId).toBe(expected);
  });

  it("sets a second spelling of the same variant aside instead of losing it", () => {
    const catalogue = groupModels(["x-xhigh", "x-extra-high", "x-low"]);
    expect({ ids: catalogue.families[0]?.variants.map(({ id }) => id), direct: catalogue.direct }).toEqual({
      ids: ["x-xhigh", "x-low"],
      direct: ["x-extra-high"],
    });
  });

  it("groups the whole list the way a person would", () => {
    const { bases, direct } = basesAndDirect(groupModels(listedModelIds));
    expect(direct).toEqual([
      "auto",
      "composer-1",
      "composer-1.5",
      "gpt-5-mini",
      "gemini-3.1-pro",
      "gemini-3-flash",
      "gemini-3.5-flash",
      "kimi-k2.5",
      "kimi-k2.7-code",
      "sonnet-4.6",
      "opus-4.6",
      "grok",
    ]);
    expect(bases).toEqual([
      ...["composer-2", "composer-2.5", "gpt-5.1", "gpt-5.1-codex-max", "gpt-5.1-codex-mini", "gpt-5.2"],
      ...["gpt-5.3-codex", "gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-5.5"],
      ...["gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna", "cursor-grok-4.5", "cursor-grok-4.6", "grok-4.7"],
      ...["claude-opus-5", "claude-opus-4-7", "claude-opus-4-8", "claude-fable-5", "claude-fable-5-1"],
      ...["claude-sonnet-5", "claude-4.6-sonnet", "claude-4.6-opus", "claude-4.5-opus", "claude-4.5-sonnet"],
      ...["claude-4-sonnet", "gemini-3.6-flash", "gemini-3.7-flash", "gemini-3.8-flash", "muse-spark-1.3"],
      ...["kimi-k3", "glm-5.2"],
    ]);
  });

  it("puts every id of any list in exactly one place, and finds it again by its parameters", () => {
    const word = fc.constantFrom(
      ...["gpt", "5.4", "codex", "mini", "max", "high", "extra", "low", "medium", "thinking", "fast", "none", "opus"],
    );
    const anyId = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join("-"));
    const anyList = fc.oneof(fc.subarray([...listedModelIds]), fc.array(anyId, { maxLength: 30 }));
    fc.assert(
      fc.property(anyList, (ids) => {
        const catalogue = groupModels(ids);
        expect(catalogueIds(catalogue).toSorted()).toEqual([...new Set(ids)].toSorted());
        for (const family of catalogue.families)
          for (const { id } of family.variants) expect(pickVariant(family, parseModelSlug(id).params)?.id).toBe(id);
      }),
    );
  });
});

describe("pickVariant", () => {
  const opus = familyOf(listedModelIds, "claude-opus-5");

  it("turns thinking on when only a thinking variant has the effort", () => {
    expect(pickVariant(opus, { effort: "xhigh" })?.id).toBe("claude-opus-5-thinking-xhigh");
  });

  it("never chooses fast for someone who did not ask", () => {
    expect(pickVariant(familyOf(["x-low-fast", "x-high"], "x"), { effort: "low" })).toBeUndefined();
  });

  it("takes the bare id for medium", () => {
    expect(pickVariant(familyOf(listedModelIds, "gpt-5.2"), { effort: "medium" })?.id).toBe("gpt-5.2");
  });

  it("has nothing for an effort that the family lacks", () => {
    expect(pickVariant(opus, { effort: "none" })).toBeUndefined();
  });
});

describe("explicitParams", () => {
  it("says no to what the family offers and the id left out", () => {
    const families = ["claude-opus-5", "composer-2.5", "gpt-5.1"].map((base) => familyOf(listedModelIds, base));
    expect(families.map((family) => explicitParams(family, {}))).toEqual([
      { thinking: false, fast: false },
      { fast: false },
      {},
    ]);
  });
});
