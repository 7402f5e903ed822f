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

/** A tool as an older client keeps it, with its schema as bytes. */
export function toSeedTool(tool: McpToolDefinition): ToolDefinition {
  return reread(McpToolDefinitionSchema, ToolDefinitionSchema, tool);
}

/** The tool that an older client keeps. Bytes that hold JSON instead of a serialized Value are read too. */
export function fromSeedTool(tool: ToolDefinition): McpToolDefinition {
  const readable = { ...tool, inputSchema: toValueBytes(tool.inputSchema) };
  return reread(ToolDefinitionSchema, McpToolDefinitionSchema, readable);
}

/** A call's arguments as an older client keeps them, each as bytes. */
export function toSeedArgs(args: McpArgs): ToolArgs {
  return reread(McpArgsSchema, ToolArgsSchema, args);
}

/** The arguments that an older client keeps. Bytes that hold JSON instead of a serialized Value are read too. */
export function fromSeedArgs(args: ToolArgs): McpArgs {
  const values = Object.entries(args.args).map(([name, bytes]) => [name, toValueBytes(bytes)]);
  return reread(ToolArgsSchema, McpArgsSchema, { ...args, args: Object.fromEntries(values) });
}

/** The state before a message, as the blob that an older client calls selected_context_blob. */
export function toSelectedContextBlob(state: ConversationStateStructure): SelectedContextBlob {
  return create(SelectedContextBlobSchema, {
    rootPromptBlobIds: state.rootPromptMessagesJson,
    ...(state.agentType === undefined ? {} : { clientName: state.agentType }),
  });
}

/** The conversation state that a selected_context_blob is. */
export function fromSelectedContextBlob(blob: SelectedContextBlob): ConversationStateStructure {
  return reread(SelectedContextBlobSchema, ConversationStateStructureSchema, blob);
}

/** The bytes are the same; only what the schema calls them differs. What one side does not know is kept. */
function reread<From extends DescMessage, To extends DescMessage>(
  from: From,
  to: To,
  message: MessageShape<From>,
): MessageShape<To> {
  return fromBinary(to, toBinary(from, message));
}

/** No serialized Value is JSON as well: its tags are no characters that JSON may begin or go on with. */
function toValueBytes(bytes: Uint8Array): Uint8Array {
  try {
    return toBinary(ValueSchema, toValue(JSON.parse(new TextDecoder().decode(bytes))));
  } catch {
    // Not JSON, so that it is the serialized Value that it should be; a broken one fails when it is read.
    return bytes;
  }
}
