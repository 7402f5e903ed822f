import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { type ConversationStateStructure, ConversationStateStructureSchema } from "./generated/conversation_pb.ts";
import { type McpArgs, McpArgsSchema, type McpToolDefinition, McpToolDefinitionSchema } from "./generated/mcp_pb.ts";
import {
  type SelectedContextBlob,
  SelectedContextBlobSchema,
  type ToolArgs,
  ToolArgsSchema,
  type ToolDefinition,
  ToolDefinitionSchema,
} from "./generated/seed_pb.ts";
import { toValue } from "./json-value.ts";

/** Converts a tool to the form older clients store, with the schema as bytes. */
export function toSeedTool(tool: McpToolDefinition): ToolDefinition {
  return reread(McpToolDefinitionSchema, ToolDefinitionSchema, tool);
}

/** Converts a tool stored by an older client. Accepts bytes that hold JSON instead of a serialized Value. */
export function fromSeedTool(tool: ToolDefinition): McpToolDefinition {
  const readable = { ...tool, inputSchema: toValueBytes(tool.inputSchema) };
  return reread(ToolDefinitionSchema, McpToolDefinitionSchema, readable);
}

/** Converts a call's arguments to the form older clients store, each as bytes. */
export function toSeedArgs(args: McpArgs): ToolArgs {
  return reread(McpArgsSchema, ToolArgsSchema, args);
}

/** Converts arguments stored by an older client. Accepts bytes that hold JSON instead of a serialized Value. */
export function fromSeedArgs(args: ToolArgs): McpArgs {
  const values = Object.entries(args.args).map(([name, bytes]) => [name, toValueBytes(bytes)]);
  return reread(ToolArgsSchema, McpArgsSchema, { ...args, args: Object.fromEntries(values) });
}

/** Converts the state before a message to the blob that older clients call selected_context_blob. */
export function toSelectedContextBlob(state: ConversationStateStructure): SelectedContextBlob {
  return create(SelectedContextBlobSchema, {
    rootPromptBlobIds: state.rootPromptMessagesJson,
    ...(state.agentType === undefined ? {} : { clientName: state.agentType }),
  });
}

/** Converts a selected_context_blob to the conversation state. */
export function fromSelectedContextBlob(blob: SelectedContextBlob): ConversationStateStructure {
  return reread(SelectedContextBlobSchema, ConversationStateStructureSchema, blob);
}

/** Reinterprets the same bytes under another schema. Fields unknown to either side are kept. */
function reread<From extends DescMessage, To extends DescMessage>(
  from: From,
  to: To,
  message: MessageShape<From>,
): MessageShape<To> {
  return fromBinary(to, toBinary(from, message));
}

/** Distinguishes the two reliably: no serialized Value parses as JSON, because its tag bytes cannot start or continue JSON. */
function toValueBytes(bytes: Uint8Array): Uint8Array {
  try {
    return toBinary(ValueSchema, toValue(JSON.parse(new TextDecoder().decode(bytes))));
  } catch {
    // Not JSON, so it should be a serialized Value; a broken one fails when read.
    return bytes;
  }
}
