import { parseModelSlug } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import {
  findAcpModelId,
  fromApiModel,
  parseModelName,
  toAcpModelId,
  toApiModel,
  toModelSlug,
} from "./model-spellings.ts";
import { listedModelIds } from "./testing/listed-models.ts";

describe("the three spellings of a model", () => {
  it("write the same choice as one bracketed name or as an id with parameters", () => {
    const choice = parseModelSlug("claude-opus-5-thinking-high");
    expect([toAcpModelId(choice), toApiModel(choice)]).toEqual([
      "claude-opus-5[thinking=true,effort=high]",
      {
        id: "claude-opus-5",
        params: [
          { id: "thinking", value: "true" },
          { id: "effort", value: "high" },
        ],
      },
    ]);
  });

  it("lose nothing on the way there and back, for every listed id", () => {
    const choices = listedModelIds.map(parseModelSlug);
    expect(choices.map(toAcpModelId).map(parseModelName)).toEqual(choices);
    expect(choices.map(toApiModel).map(fromApiModel)).toEqual(choices);
    expect(choices.map(toModelSlug).map(parseModelSlug)).toEqual(choices);
  });

  it("call auto `default` upstream", () => {
    const auto = { base: "auto", params: {} };
    expect([toAcpModelId(auto), toApiModel(auto)]).toEqual(["default[]", { id: "default", params: [] }]);
    expect(["default[]", "default", "auto", "Auto"].map(parseModelName)).toEqual([auto, auto, auto, auto]);
  });

  it.each([
    ["swift-2[context=1m,effort=max,fast=false]", { context: "1m", effort: "max", fast: false }],
    ["swift-2[reasoning=extra-high]", { effort: "xhigh" }],
    ["swift-2[1m]", { context: "1m" }],
    ["swift-2[ thinking = TRUE , colour=blue, effort=heroic]", { thinking: true }],
    ["swift-2[]", {}],
  ])("read %s and leave out what they do not know", (name, params) => {
    expect(parseModelName(name)).toEqual({ base: "swift-2", params });
  });
});

describe("findAcpModelId", () => {
  const offered = ["default[]", "swift-2[fast=true]", "swift-2[fast=false]", "tale-5[context=1m,reasoning=high]"];

  it("answers in the agent's own spelling", () => {
    const names = ["auto", "swift-2", "swift-2-fast", "tale-5-high"];
    expect(names.map((name) => findAcpModelId(parseModelName(name), offered))).toEqual(
      offered.toSpliced(1, 2, "swift-2[fast=false]", "swift-2[fast=true]"),
    );
  });

  it("takes the only entry of a model whatever its parameters, which can be set afterwards", () => {
    expect(findAcpModelId(parseModelName("tale-5-low"), offered)).toBe("tale-5[context=1m,reasoning=high]");
  });

  it("has no answer for a model that is not offered, or for a variant when others are", () => {
    expect([
      findAcpModelId(parseModelName("oak-1"), offered),
      findAcpModelId(parseModelName("swift-2-max"), offered),
    ]).toEqual([undefined, undefined]);
  });
});
