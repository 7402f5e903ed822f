import { create } from "@bufbuild/protobuf";
import {
  AvailableModelsResponse_AvailableModelSchema as AvailableModelSchema,
  AvailableModelsResponse_ModelVariantConfigSchema as ModelVariantSchema,
} from "@caret/protocol/agent-api/available-models";
import { ModelDetailsSchema } from "@caret/protocol/agent-api/models";
import { expect, it } from "vitest";
import { joinModels } from "./api-models.ts";
import { requestedModelOf } from "./requested-model.ts";

const params = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([id, value]) => ({ id, value }));

const tale = create(AvailableModelSchema, {
  name: "tale-5",
  clientDisplayName: "Tale 5",
  supportsImages: true,
  contextTokenLimit: 200_000,
  contextTokenLimitForMaxMode: 1_000_000,
  variants: [
    create(ModelVariantSchema, { parameterValues: params({ effort: "medium" }), legacySlug: "tale-5-medium" }),
    create(ModelVariantSchema, {
      parameterValues: params({ thinking: "true", reasoning_effort: "high", fast: "false" }),
      displayNameOutsidePicker: "Tale 5 High Thinking",
    }),
    create(ModelVariantSchema, {
      parameterValues: params({ effort: "medium", context: "1m" }),
      variantStringRepresentation: "tale-5[context=1m,effort=medium]",
      legacySlug: "tale-5-medium",
      isMaxMode: true,
    }),
  ],
});
const hidden = create(AvailableModelSchema, { name: "secret-1", isHidden: true });
const plain = create(ModelDetailsSchema, { modelId: "swift-2", displayName: "Swift  2\u200b" });
const auto = create(ModelDetailsSchema, { modelId: "default", displayName: "Auto" });

const listed = joinModels([tale, hidden], [auto, plain], "swift-2");

it("the catalogue has each variant under the CLI's name, with what a run asks for it with", () => {
  const flags = { isCurrent: false, isDefault: false };
  expect(listed).toEqual([
    {
      ...flags,
      id: "tale-5-medium",
      name: "Tale 5",
      details: {
        upstream: { id: "tale-5", params: params({ effort: "medium" }) },
        maxMode: false,
        contextTokens: 200_000,
        images: true,
      },
    },
    {
      ...flags,
      id: "tale-5-thinking-high",
      name: "Tale 5 High Thinking",
      details: {
        upstream: { id: "tale-5", params: params({ thinking: "true", reasoning_effort: "high", fast: "false" }) },
        maxMode: false,
        contextTokens: 200_000,
        images: true,
      },
    },
    {
      ...flags,
      id: "tale-5[context=1m,effort=medium]",
      name: "Tale 5",
      details: {
        upstream: { id: "tale-5", params: params({ effort: "medium", context: "1m" }) },
        maxMode: true,
        contextTokens: 1_000_000,
        images: true,
      },
    },
    { ...flags, id: "auto", name: "Auto", details: { upstream: { id: "default", params: [] }, maxMode: false } },
    {
      ...flags,
      id: "swift-2",
      name: "Swift 2",
      isDefault: true,
      details: { upstream: { id: "swift-2", params: [] }, maxMode: false },
    },
  ]);
});

it.each([
  ["auto", { modelId: "default" }],
  ["default[]", { modelId: "default" }],
  [
    "tale-5-thinking-high",
    {
      modelId: "tale-5",
      maxMode: false,
      parameters: params({ thinking: "true", reasoning_effort: "high", fast: "false" }),
    },
  ],
  [
    "tale-5[context=1m,effort=medium]",
    { modelId: "tale-5[context=1m,effort=medium]", isVariantStringRepresentation: true },
  ],
  ["nobody-knows", { modelId: "nobody-knows" }],
])("%s is asked for as %j", async (name, expected) => {
  expect(await requestedModelOf(name, async () => listed)).toEqual(expected);
});
