import { CaretError } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { groupModels } from "./model-families.ts";
import { type ModelRequest, resolveModel } from "./resolve-model.ts";
import { listedModelIds } from "./testing/listed-models.ts";

const catalogue = groupModels(listedModelIds);
const idOf = (request: ModelRequest, models = catalogue) => resolveModel(request, models).id;

function refusal(request: ModelRequest) {
  try {
    resolveModel(request, catalogue);
  } catch (error) {
    const { code, message, fix } = CaretError.from(error);
    return { code, message, fix };
  }
  return undefined;
}

describe("resolveModel", () => {
  it("prefers cursorModel, then model, then auto", () => {
    expect([
      idOf({ cursorModel: "gpt-5.3-codex-high", model: "cursor-acp/gpt-5.3-codex" }),
      idOf({ cursorModel: " ", model: "cursor-acp/gpt-5.3-codex" }),
      idOf({ cursorModel: "", model: "" }),
      idOf({}),
    ]).toEqual(["gpt-5.3-codex-high", "gpt-5.3-codex", "auto", "auto"]);
  });

  it.each(["cursor-acp/gpt-5-mini", "caret/gpt-5-mini", "cursor/gpt-5-mini", "a/b/gpt-5-mini", "GPT-5-Mini"])(
    "reads %s as gpt-5-mini",
    (model) => {
      expect(idOf({ model })).toBe("gpt-5-mini");
    },
  );

  it("keeps every listed id as it is", () => {
    expect(listedModelIds.map((model) => idOf({ model }))).toEqual(listedModelIds);
  });

  it.each([
    ["gpt-5.5", "gpt-5.5-medium"],
    ["gpt-5.5-xhigh", "gpt-5.5-extra-high"],
    ["gpt-5.2-medium", "gpt-5.2"],
    ["claude-opus-5-high-thinking", "claude-opus-5-thinking-high"],
    ["claude-opus-4-8[context=1m,effort=high]", "claude-opus-4-8-high"],
    ["grok-4.5-high", "cursor-grok-4.5-high"],
    ["default[]", "auto"],
    ["default", "auto"],
  ])("understands %s as another spelling of %s", (model, id) => {
    expect(idOf({ model })).toBe(id);
  });

  it.each([
    ["opus", "claude-opus-5-medium"],
    ["sonnet", "claude-sonnet-5-medium"],
    ["haiku", "claude-sonnet-5-medium"],
    ["claude-3-5-haiku-20241022", "claude-sonnet-5-medium"],
    ["claude-sonnet-4-5-20250929", "claude-4.5-sonnet"],
    ["claude-sonnet-4-5-20250929[1m]", "claude-4.5-sonnet"],
    ["anthropic/claude-sonnet-4.5", "claude-4.5-sonnet"],
    ["claude-3-7-sonnet-latest", "claude-4-sonnet"],
    ["claude-opus-4-1-20250805", "claude-4.5-opus-high"],
    ["gpt-5", "gpt-5.5-medium"],
    ["gpt-5-2025-08-07", "gpt-5.5-medium"],
    ["gpt-5-mini-2025-08-07", "gpt-5-mini"],
    ["claude-sonnet-4-20250514", "claude-4-sonnet"],
    ["gpt-5-codex", "gpt-5.3-codex"],
    ["gpt-4o", "gpt-5.1"],
    ["gpt-4o-mini", "gpt-5-mini"],
    ["gpt-5-nano", "gpt-5.4-nano-medium"],
    ["o3", "gpt-5.5-medium"],
    ["o4-mini", "gpt-5.4-mini-medium"],
    ["gemini-2.5-pro-preview-05-06", "gemini-3.1-pro"],
    ["gemini-2.5-flash", "gemini-3-flash"],
    ["grok-4", "grok-4.7-medium"],
    ["kimi-k2", "kimi-k2.5"],
    ["composer", "composer-2.5"],
    ["gpt-5.3-high", "gpt-5.4-high"],
  ])("takes the foreign or bygone name %s for %s", (model, id) => {
    expect(idOf({ model })).toBe(id);
  });

  it.each([
    ["claude-opus-5-5", "claude-opus-5-medium"],
    ["claude-sonnet-5-5", "claude-sonnet-5-medium"],
    ["claude-haiku-5-5", "claude-sonnet-5-medium"],
    ["claude-opus-5-5-20261015", "claude-opus-5-medium"],
    ["claude-opus-5-5@20261015", "claude-opus-5-medium"],
    ["claude-sonnet-5-5-latest", "claude-sonnet-5-medium"],
    ["claude-opus-5-5[1m]", "claude-opus-5-medium"],
    ["claude-sonnet-5-5-20261015[1m]", "claude-sonnet-5-medium"],
    ["us.anthropic.claude-opus-5-5-20261015-v1:0", "claude-opus-5-medium"],
    ["claude-opus-6", "claude-opus-5-medium"],
    ["opus[1m]", "claude-opus-5-medium"],
    ["sonnet[1m]", "claude-sonnet-5-medium"],
    ["gpt-5.9", "gpt-5.5-medium"],
    ["gpt-6", "gpt-5.5-medium"],
  ])("takes %s, which is newer than what is listed, for the newest of its line: %s", (model, id) => {
    expect(idOf({ model })).toBe(id);
  });

  it.each([
    ["claude-opus-5-high[1m]", "claude-opus-5-high"],
    ["claude-opus-5-thinking-max-fast[1m]", "claude-opus-5-thinking-max-fast"],
    ["claude-4.5-sonnet[1m]", "claude-4.5-sonnet"],
    ["gemini-3.1-pro[1m]", "gemini-3.1-pro"],
    ["auto[1m]", "auto"],
  ])("takes %s for the listed id %s: a window in brackets chooses no other model", (model, id) => {
    expect(idOf({ model })).toBe(id);
  });

  it("gives the client's thinking and effort to the model that stands in", () => {
    expect(idOf({ model: "claude-opus-5-5[1m]", effort: "high", thinking: true })).toBe("claude-opus-5-thinking-high");
  });

  it("runs a version that is newer than another as soon as it is listed", () => {
    const later = groupModels(["claude-opus-5-high", "claude-opus-5-5-medium", "claude-opus-5-5-high"]);
    expect(idOf({ model: "claude-opus-5-5-20261015[1m]" }, later)).toBe("claude-opus-5-5-medium");
  });

  it("follows the catalogue it is given, not today's models", () => {
    const later = groupModels(["claude-opus-7", "claude-haiku-6-low", "claude-haiku-6-high", "gpt-7"]);
    const names = ["opus", "claude-3-5-haiku-latest", "gpt-5", "o3"];
    expect(names.map((model) => idOf({ model }, later))).toEqual([
      "claude-opus-7",
      "claude-haiku-6-high",
      "gpt-7",
      "gpt-7",
    ]);
  });

  it("chooses the variant that the request's effort and thinking ask for", () => {
    expect([
      idOf({ model: "gpt-5.4", effort: "high" }),
      idOf({ model: "gpt-5.5", effort: "xhigh" }),
      idOf({ model: "claude-opus-5-high", thinking: true }),
      idOf({ model: "sonnet", effort: "max", thinking: true }),
      idOf({ model: "claude-4.5-sonnet", thinking: false }),
    ]).toEqual([
      "gpt-5.4-high",
      "gpt-5.5-extra-high",
      "claude-opus-5-thinking-high",
      "claude-sonnet-5-thinking-max",
      "claude-4.5-sonnet",
    ]);
  });

  it("lets what the name says win over what the request says", () => {
    expect(idOf({ model: "gpt-5.4-low", effort: "high" })).toBe("gpt-5.4-low");
  });

  it("goes on without a parameter that the model does not have", () => {
    expect([
      idOf({ model: "gpt-5-mini", effort: "high", thinking: true }),
      idOf({ model: "gpt-5.1", effort: "minimal" }),
      idOf({ model: "gpt-5.4", effort: "high", thinking: true }),
    ]).toEqual(["gpt-5-mini", "gpt-5.1", "gpt-5.4-high"]);
  });

  it("gives the base and the parameters for the lanes that spell them apart", () => {
    expect(resolveModel({ model: "claude-opus-4-8[context=1m,effort=high]" }, catalogue)).toEqual({
      id: "claude-opus-4-8-high",
      base: "claude-opus-4-8",
      params: { effort: "high", thinking: false, fast: false, context: "1m" },
    });
  });

  it("refuses an unknown name and offers the nearest ones", () => {
    expect(refusal({ model: "caret/gpt-5.4-hihg" })).toEqual({
      code: "model-unknown",
      message: 'There is no model "gpt-5.4-hihg" in Cursor\'s list',
      fix: "Did you mean `gpt-5.4` or `gpt-5.4-high` or `gpt-5.1-high`? `caret models` prints them all.",
    });
  });

  it.each(["gpt-9", "claude-opus-55", "claude-opos-5-5", "gpt-5.5-minimal", "llama-4", "sonet", "gpt-5-mini-high"])(
    "does not guess at %s",
    (model) => {
      expect(refusal({ model })?.code).toBe("model-unknown");
    },
  );

  it("refuses a name of a million letters without repeating it", () => {
    expect(refusal({ model: "x".repeat(1_000_000) })?.message.length).toBeLessThan(200);
  });

  it("finds the model behind a misspelt word", () => {
    expect(refusal({ model: "sonet" })?.fix).toContain("`sonnet-4.6`");
  });

  it("lets any name pass when nobody could list the models", () => {
    expect(resolveModel({ model: "caret/new-thing-high" }, groupModels([]))).toEqual({
      id: "new-thing-high",
      base: "new-thing",
      params: { effort: "high" },
    });
  });
});
