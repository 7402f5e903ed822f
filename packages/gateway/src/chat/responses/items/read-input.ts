import { z } from "zod";
import { invalidRequest, readPart } from "../../../http/read-body.ts";
import { contentSchema, toParts, toText } from "../../openai-content.ts";
import { parseArguments, toolName } from "../../openai-tools.ts";
import type { OutputItem } from "../item-store.ts";
import { type LocalCallNews, readLocalCall } from "../tools.ts";
import { TranscriptBuilder } from "./transcript-builder.ts";

const FORGOTTEN = "[An earlier answer that is not kept any more]";
const filled = z.string("must be a string").min(1, "must not be empty");
const roles = ["user", "assistant", "system", "developer"] as const;

const itemSchema = z.looseObject({ type: z.string().nullish(), role: z.string().nullish() }, "must be an object");

export const inputSchema = z.union(
  [z.string(), z.array(itemSchema).min(1, "must hold at least one item")],
  "must be a string or a list of items",
);

/** The same for requests that may bring nothing new. */
export const anyInputSchema = z
  .union([z.string(), z.array(itemSchema)], "must be a string or a list of items")
  .nullish();

type Input = z.infer<typeof anyInputSchema>;

const messageSchema = z.object({
  role: z.enum(roles, `must be one of ${roles.join(", ")}`),
  content: contentSchema,
});
const functionCallSchema = z.object({ call_id: filled, name: toolName, arguments: z.string("must be a string") });
const customCallSchema = z.object({ call_id: filled, name: toolName, input: z.string("must be a string") });
const callOutputSchema = z.object({ call_id: filled, output: contentSchema });
const referenceSchema = z.object({ id: filled });

const compactionSchema = z.object({ encrypted_content: filled });

export type Item = z.infer<typeof itemSchema>;

/** Looks up items that stand for what is not in the request. */
export interface InputSources {
  findItem(id: string): OutputItem | undefined;
  /** The summary in a compaction item; undefined if another gateway sealed it, or it is another owner's. */
  openCompaction(sealed: string): string | undefined;
}

/** Reads items in order and looks up references among our past answers. */
export function readInput(input: Input, sources: InputSources): TranscriptBuilder {
  const transcript = new TranscriptBuilder();
  if (typeof input === "string") transcript.user([{ kind: "text", text: input }]);
  else for (const [index, item] of (input ?? []).entries()) readItem(transcript, item, `input[${index}]`, sources);
  return transcript;
}

function readItem(transcript: TranscriptBuilder, item: Item, path: string, sources: InputSources): void {
  const type = typeOf(item, path);
  switch (type) {
    case "message":
      return readMessage(transcript, item, path);
    case "function_call": {
      const call = readPart(functionCallSchema, item, path);
      return transcript.assistant("", [
        { callId: call.call_id, name: call.name, input: parseArguments(call.arguments) },
      ]);
    }
    case "custom_tool_call": {
      const { call_id, name, input } = readPart(customCallSchema, item, path);
      return transcript.assistant("", [{ callId: call_id, name, input }]);
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const { call_id, output } = readPart(callOutputSchema, item, path);
      return transcript.tool(call_id, toParts(output, `${path}.output`));
    }
    case "item_reference":
      return readReference(transcript, readPart(referenceSchema, item, path).id, sources);
    case "compaction":
    case "compaction_summary":
      return readCompaction(transcript, readPart(compactionSchema, item, path).encrypted_content, path, sources);
    default:
      // Reasoning, and the bookkeeping of tools that only the client knows, mean nothing to the agent.
      return addLocalCall(transcript, readLocalCall(type, item, path));
  }
}

function addLocalCall(transcript: TranscriptBuilder, news: LocalCallNews | undefined): void {
  if (news === undefined) return;
  if ("call" in news) transcript.assistant("", [news.call]);
  else transcript.tool(news.callId, news.parts, news.isError);
}

/** Fails if the summary cannot be read: the conversation would go on without its past. */
function readCompaction(transcript: TranscriptBuilder, sealed: string, path: string, sources: InputSources): void {
  const summary = sources.openCompaction(sealed);
  if (summary === undefined)
    throw invalidRequest(`${path}.encrypted_content: was not made by this gateway for you, or was changed since`);
  transcript.compaction(summary);
}

/** Clients omit the type of plain messages and of references. */
export function typeOf({ type, role, ...rest }: Item, path: string): string {
  if (typeof type === "string") return type;
  if (typeof role === "string") return "message";
  if ("id" in rest) return "item_reference";
  throw invalidRequest(`${path}: must have a type or a role`);
}

function readMessage(transcript: TranscriptBuilder, item: Item, path: string): void {
  const { role, content } = readPart(messageSchema, item, path);
  const contentPath = `${path}.content`;
  if (content === undefined || content === null) throw invalidRequest(`${contentPath}: is missing`);
  if (role === "user") transcript.user(toParts(content, contentPath));
  else if (role === "assistant") transcript.assistant(toText(content, contentPath));
  else transcript.instruction(toText(content, contentPath, "\n"));
}

/**
 * An unknown reference does not fail the request: it is to an answer of ours that the session behind the door still knows, and a client
 * that refers to it once does so forever.
 */
function readReference(transcript: TranscriptBuilder, id: string, { findItem }: InputSources): void {
  const item = findItem(id);
  if (item === undefined) transcript.hasGaps = true;
  if (item !== undefined) transcript.output(item);
  else if (id.startsWith("msg_")) transcript.assistant(FORGOTTEN);
}
