import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AvailableModelsRequestSchema, AvailableModelsResponseSchema } from "./generated/available-models_pb.ts";
import { ConversationStateStructureSchema } from "./generated/conversation_pb.ts";
import { McpArgsSchema, McpToolDefinitionSchema } from "./generated/mcp_pb.ts";
import {
  ModelsRequestSchema,
  ModelsSchema,
  SelectedContextBlobSchema,
  ToolArgsSchema,
  ToolDefinitionSchema,
} from "./generated/seed_pb.ts";
import { fromValue, fromValueMap, toValue, toValueMap } from "./json-value.ts";
import {
  fromSeedArgs,
  fromSeedTool,
  fromSelectedContextBlob,
  toSeedArgs,
  toSeedTool,
  toSelectedContextBlob,
} from "./seed-shapes.ts";

const json = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  deep: [1, null, [2.5, false]],
};
const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

describe("tools of an older client", () => {
  const tool = create(McpToolDefinitionSchema, { name: "w-weather", toolName: "weather", inputSchema: toValue(json) });

  it("keep the schema as bytes, and are the same bytes on the wire", () => {
    const old = toSeedTool(tool);
    expect(toBinary(ToolDefinitionSchema, old)).toEqual(toBinary(McpToolDefinitionSchema, tool));
    expect(fromSeedTool(old)).toEqual(tool);
  });

  it("are read when the bytes are JSON, too", () => {
    const old = create(ToolDefinitionSchema, { name: "w-weather", toolName: "weather", inputSchema: jsonBytes(json) });
    const { inputSchema } = fromSeedTool(old);
    expect(inputSchema && fromValue(inputSchema)).toEqual(json);
  });
});

describe("arguments of an older client", () => {
  const values = { city: "Ada", days: 25, list: [1, "2"], whole: json, none: null, yes: true, no: false, empty: [] };
  const args = create(McpArgsSchema, { name: "w-weather", toolCallId: "c1", args: toValueMap(values) });

  it("are bytes each, and come back as they were", () => {
    expect(fromSeedArgs(toSeedArgs(args))).toEqual(args);
    expect(fromValueMap(fromSeedArgs(toSeedArgs(args)).args)).toEqual(values);
  });

  it("are read when each is JSON, too", () => {
    const bytes = Object.entries(values).map(([name, value]) => [name, jsonBytes(value)]);
    const old = create(ToolArgsSchema, { name: "w-weather", args: Object.fromEntries(bytes) });
    expect(fromValueMap(fromSeedArgs(old).args)).toEqual(values);
  });
});

describe("the blob that an older client calls selected_context_blob", () => {
  it("is a conversation state with prompt blobs and the client's name", () => {
    const blob = create(SelectedContextBlobSchema, { rootPromptBlobIds: [Uint8Array.of(1, 2)], clientName: "cli" });
    const state = create(ConversationStateStructureSchema, {
      rootPromptMessagesJson: [Uint8Array.of(1, 2)],
      agentType: "cli",
    });
    expect(fromSelectedContextBlob(blob)).toEqual(state);
    expect(toSelectedContextBlob(state)).toEqual(blob);
    expect(toBinary(SelectedContextBlobSchema, blob)).toEqual(toBinary(ConversationStateStructureSchema, state));
  });
});

describe("the models that an older client reads by field numbers", () => {
  it("are in the current answer under the same numbers", () => {
    const parameters = [{ id: "effort", value: "high" }];
    const variant = { displayName: "High", isMaxMode: true, isDefaultMaxConfig: true, isDefaultNonMaxConfig: false };
    const names = { displayNameOutsidePicker: "M High", variantStringRepresentation: "m[effort=high]" };
    const model = {
      name: "m",
      supportsImages: true,
      supportsMaxMode: true,
      contextTokenLimit: 200_000,
      contextTokenLimitForMaxMode: 1_000_000,
      clientDisplayName: "M",
      serverModelName: "m-1",
      supportsNonMaxMode: true,
    };
    const variants = [{ ...variant, ...names, parameterValues: parameters }];
    const answer = create(AvailableModelsResponseSchema, { models: [{ ...model, variants }] });
    const old = fromBinary(ModelsSchema, toBinary(AvailableModelsResponseSchema, answer));
    expect(old).toEqual(
      create(ModelsSchema, { models: [{ ...model, variants: [{ ...variant, ...names, parameters }] }] }),
    );
  });

  it("are asked for by the same two fields", () => {
    const flags = { useModelParameters: true, doNotUseMarkdown: true };
    expect(toBinary(ModelsRequestSchema, create(ModelsRequestSchema, flags))).toEqual(
      toBinary(AvailableModelsRequestSchema, create(AvailableModelsRequestSchema, flags)),
    );
    expect(toBinary(ModelsRequestSchema, create(ModelsRequestSchema, flags))).toEqual(Uint8Array.of(0x28, 1, 0x38, 1));
  });
});
