import { CaretError } from "@caret/protocol";
import { z } from "zod";

/** Blocks that the CLI adds around what a person typed, or sends in the person's name. */
const harnessTags = [
  "timestamp",
  "system[_-]reminder",
  "system_notification",
  "user_info",
  "user_rules",
  "rules",
  "always_applied_workspace_rules?",
  "agent_requestable_workspace_rules?",
  "cursor_rules_context",
  "git_status",
  "project_layout",
  "open_and_recently_viewed_files",
  "recently_viewed_files",
  "current_file",
  "edit_diff_history",
  "attached_files",
  "additional_data",
  "environment_details",
  "agent_transcripts",
  "agent_skills",
  "mcp_file_system",
  "mcp_instructions",
];

const tag = `(${harnessTags.join("|")})`;

const leadingTag = new RegExp(`^\\s*<${tag}(?:\\s[^>]*)?>`, "i");
const openingTag = new RegExp(`<${tag}(?:\\s[^>]*)?>`, "iy");
const lastTag = new RegExp(`</${tag}>$`, "i");
/** Upper bound on the length of these tags. */
const MAX_TAG = 64;

interface ChatToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

/** One message as a person would read it: no wrappers around what the user typed, no reasoning. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  /** For a tool message: the tool's answer. */
  readonly text: string;
  readonly toolCalls: readonly ChatToolCall[];
}

const optionalText = z.string().optional().catch(undefined);

/** Stores and transcripts name a call's fields differently; both are read. */
const partSchema = z.object({
  type: z.string(),
  text: optionalText,
  toolCallId: optionalText,
  id: optionalText,
  toolName: optionalText,
  name: optionalText,
  args: z.unknown().optional(),
  input: z.unknown().optional(),
  result: z.unknown().optional(),
});

const messageSchema = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(z.unknown())]),
});

type Part = z.infer<typeof partSchema>;

/** Undefined for anything that is not a message. Unknown parts are dropped. */
export function toChatMessage(value: unknown): ChatMessage | undefined {
  const { data: message } = messageSchema.safeParse(value);
  if (message === undefined) return undefined;
  const { role, content } = message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content.flatMap(toPart);
  const texts = parts.map(textOf).filter((part) => part !== "");
  const whole = { text: texts.join("\n\n"), toolCalls: parts.flatMap(toToolCall) };
  if (role !== "user") return { role, ...whole };
  const typed = typedWords(texts);
  // The CLI sends machine information and reminders for its model as user messages; nobody typed them.
  if (typed === "" && texts.length > 0) return { role: "system", ...whole };
  return { role, ...whole, text: typed };
}

function toPart(value: unknown): readonly Part[] {
  const { data: part } = partSchema.safeParse(value);
  return part === undefined ? [] : [part];
}

function textOf(part: Part): string {
  if (part.type === "text") return part.text ?? "";
  if (part.type !== "tool-result" || part.result === undefined) return "";
  return typeof part.result === "string" ? part.result : JSON.stringify(part.result);
}

function toToolCall(part: Part): readonly ChatToolCall[] {
  if (part.type !== "tool-call" && part.type !== "tool_use") return [];
  const { toolCallId, id, toolName, name } = part;
  return [{ id: toolCallId ?? id, name: toolName ?? name ?? "unknown", input: part.args ?? part.input }];
}

/** An existing but unreadable chat. The message says what is wrong with it, never where it is. */
export function chatDamage(message: string, cause?: unknown): CaretError {
  return new CaretError("session-corrupt", message, { cause });
}

/**
 * What a person typed in a user message: the part the CLI marks or, if it marks none, everything except the CLI's own blocks before and
 * after. Empty if the user typed nothing.
 */
function typedWords(parts: readonly string[]): string {
  const marked = parts.flatMap((part) => markedWords(part) ?? []);
  const words = marked.length > 0 ? marked : parts.map(withoutBlocks);
  return words.filter((word) => word !== "").join("\n\n");
}

/** From the first opening tag to the last closing one, because people may type these tags themselves. */
function markedWords(part: string): string | undefined {
  const [open, close] = ["<user_query>", "</user_query>"];
  const [from, to] = [part.indexOf(open), part.lastIndexOf(close)];
  return from === -1 || to < from + open.length ? undefined : part.slice(from + open.length, to).trim();
}

function withoutBlocks(part: string): string {
  let words = part.trim();
  let lower = toLowerAscii(words);
  for (let end = endOfLeading(words, lower); end > 0; end = endOfLeading(words, lower)) {
    words = words.slice(end);
    lower = lower.slice(end);
  }
  for (let start = startOfTrailing(words, lower); start !== -1; start = startOfTrailing(words, lower)) {
    words = words.slice(0, start).trimEnd();
    lower = lower.slice(0, words.length);
  }
  return words.trim();
}

/** End of the block a text starts with; 0 if it starts with none. */
function endOfLeading(words: string, lower: string): number {
  const [opening, name] = leadingTag.exec(words) ?? [];
  if (opening === undefined || name === undefined) return 0;
  const closing = `</${name.toLowerCase()}>`;
  const at = lower.indexOf(closing, opening.length);
  return at === -1 ? 0 : at + closing.length;
}

/** Start of the block a text ends with; -1 if it ends with none. */
function startOfTrailing(words: string, lower: string): number {
  const [closing, name] = lastTag.exec(words.slice(-MAX_TAG)) ?? [];
  if (closing === undefined || name === undefined) return -1;
  const end = words.length - closing.length;
  const start = lower.lastIndexOf(`<${name.toLowerCase()}`, end - 1);
  if (start === -1) return -1;
  openingTag.lastIndex = start;
  const opening = openingTag.exec(words);
  return opening !== null && opening[1]?.toLowerCase() === name.toLowerCase() && openingTag.lastIndex <= end
    ? start
    : -1;
}

/** Lowercases ASCII only, so every character keeps its position. */
function toLowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
