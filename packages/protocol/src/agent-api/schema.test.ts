import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, it } from "vitest";
import { ConversationStateStructureSchema } from "./generated/conversation_pb.ts";
import { McpToolDefinitionSchema } from "./generated/mcp_pb.ts";
import { AgentClientMessageSchema, AgentServerMessageSchema } from "./generated/run_pb.ts";
import { ToolCallSchema } from "./generated/tool-call_pb.ts";
import { toValue } from "./json-value.ts";

/** A message with a field that no schema has. */
const withField = (bytes: Uint8Array, number: number, text: string): Uint8Array =>
  new Uint8Array([...bytes, ...new BinaryWriter().tag(number, WireType.LengthDelimited).string(text).finish()]);

describe("fields that the schema does not have", () => {
  it("survive reading and writing, at every level", () => {
    const inner = withField(
      toBinary(ConversationStateStructureSchema, create(ConversationStateStructureSchema)),
      900,
      "x",
    );
    const writer = new BinaryWriter().tag(3, WireType.LengthDelimited).bytes(inner);
    const outer = withField(writer.finish(), 901, "y");
    const message = fromBinary(AgentServerMessageSchema, outer);
    expect(message.message.case).toBe("conversationCheckpointUpdate");
    expect(toBinary(AgentServerMessageSchema, message)).toEqual(outer);
  });

  it("survive in a tool whose arguments the schema does not describe", () => {
    const args = withField(new Uint8Array(), 1, "arguments");
    const bytes = new BinaryWriter().tag(70, WireType.LengthDelimited).bytes(args).finish();
    const call = fromBinary(ToolCallSchema, bytes);
    expect(call.tool.case).toBe("createGoalToolCall");
    expect(toBinary(ToolCallSchema, call)).toEqual(bytes);
  });

  it("leave a message whose kind is unknown without one, so that the reader can say so", () => {
    const message = fromBinary(AgentServerMessageSchema, withField(new Uint8Array(), 600, "new kind"));
    expect(message.message).toEqual({ case: undefined });
    expect(message.$unknown?.map(({ no }) => no)).toEqual([600]);
  });
});

describe("the bytes of a message", () => {
  it("are those that the official client sends: a heartbeat, and a schema as a Value", () => {
    const heartbeat = create(AgentClientMessageSchema, { message: { case: "clientHeartbeat", value: {} } });
    expect(toBinary(AgentClientMessageSchema, heartbeat)).toEqual(Uint8Array.of(0x3a, 0));
    const beat = create(AgentServerMessageSchema, {
      message: { case: "interactionUpdate", value: { message: { case: "heartbeat", value: {} } } },
    });
    expect(toBinary(AgentServerMessageSchema, beat)).toEqual(Uint8Array.of(0x0a, 2, 0x6a, 0));
    const tool = toBinary(McpToolDefinitionSchema, create(McpToolDefinitionSchema, { inputSchema: toValue("a") }));
    const reader = new BinaryReader(tool);
    expect([reader.tag(), [...reader.bytes()]]).toEqual([
      [3, WireType.LengthDelimited],
      [0x1a, 1, 0x61],
    ]);
  });
});
