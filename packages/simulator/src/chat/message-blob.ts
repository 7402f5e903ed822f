import type { ModelCall, ModelMessage } from "../model/model.ts";

/** Field 1, length-delimited, 32 bytes: a reference to a message blob. */
const referenceHeader = Buffer.from([0x0a, 0x20]);

const referenceBytes = 32;

/** Field 2, length-delimited: the metadata node, whose field 1 is the workspace. */
const metadataTag = 0x12;

/** A message as the chat store keeps it: JSON, content in parts. */
interface StoredMessage {
  readonly role: string;
  readonly content: string | readonly StoredPart[];
}

interface StoredPart {
  readonly type: string;
  readonly text?: string;
  readonly toolName?: string;
  /** The MCP server that offers the tool; native tools have none. */
  readonly server?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly result?: string;
  readonly isError?: boolean;
}

/** `mode` is the chat's: `default`, `ask` or `plan`. */
export function encodeMessage(message: ModelMessage, now: number, mode: string): Buffer {
  return Buffer.from(JSON.stringify(toStored(message, now, mode)), "utf8");
}

function toStored(message: ModelMessage, now: number, mode: string): StoredMessage {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.text };
    case "user":
      return { role: "user", content: [...reminders(mode), { type: "text", text: wrapUserText(message.text, now) }] };
    case "assistant":
      return { role: "assistant", content: [...textParts(message.text), ...message.calls.map(toCallPart)] };
    case "tool":
      return {
        role: "tool",
        content: [{ ...toCallPart(message.call), type: "tool-result", result: message.output, isError: !message.ok }],
      };
  }
}

/** In the modes that only read, the harness speaks first, in the person's name. */
function reminders(mode: string): readonly StoredPart[] {
  if (mode !== "ask" && mode !== "plan") return [];
  const name = mode === "ask" ? "Ask" : "Plan";
  return [{ type: "text", text: `\n<system_reminder>\n${name} mode is active. Do not edit.\n</system_reminder>` }];
}

function textParts(text: string): readonly StoredPart[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function toCallPart({ server, name, args }: ModelCall): StoredPart {
  return { type: "tool-call", toolName: name, ...(server === undefined ? {} : { server }), args };
}

/** The real CLI wraps what the user typed, so a reader of the store must unwrap it. */
function wrapUserText(text: string, now: number): string {
  const when = new Date(now).toISOString();
  return `<timestamp>${when}</timestamp>\n<user_query>\n${text}\n</user_query>`;
}

function unwrapUserText(text: string): string {
  return /<user_query>\n?([\s\S]*?)\n?<\/user_query>\s*$/.exec(text)?.[1] ?? text;
}

/** `undefined` for system notes and for anything this version does not know. */
export function decodeMessage(blob: Uint8Array): ModelMessage | undefined {
  const stored = JSON.parse(Buffer.from(blob).toString("utf8")) as StoredMessage;
  const parts = typeof stored.content === "string" ? [{ type: "text", text: stored.content }] : stored.content;
  const text = parts.map((part) => part.text ?? "").join("");
  switch (stored.role) {
    case "user":
      return { role: "user", text: unwrapUserText(text) };
    case "assistant":
      return { role: "assistant", text, calls: parts.filter(({ type }) => type === "tool-call").map(toCall) };
    case "tool":
      return decodeToolResult(parts);
    default:
      return undefined;
  }
}

function decodeToolResult([part]: readonly StoredPart[]): ModelMessage | undefined {
  if (part === undefined) return undefined;
  return { role: "tool", call: toCall(part), ok: part.isError !== true, output: part.result ?? "" };
}

function toCall({ server, toolName = "", args = {} }: StoredPart): ModelCall {
  return server === undefined ? { name: toolName, args } : { server, name: toolName, args };
}

interface RootBlob {
  /** Blob ids (hex) of the chat's messages, oldest first. */
  readonly messageIds: readonly string[];
  readonly workspace: string;
}

/** The protobuf node that a chat's `latestRootBlobId` points at. */
export function encodeRootBlob({ messageIds, workspace }: RootBlob): Buffer {
  const references = messageIds.flatMap((id) => [referenceHeader, Buffer.from(id, "hex")]);
  const path = Buffer.from(workspace, "utf8");
  const metadata = Buffer.concat([Buffer.from([0x0a, ...encodeVarint(path.length)]), path]);
  return Buffer.concat([...references, Buffer.from([metadataTag, ...encodeVarint(metadata.length)]), metadata]);
}

/** Reads the references only: they come first, and nothing else matters to a reader. */
export function decodeMessageIds(blob: Uint8Array): readonly string[] {
  const bytes = Buffer.from(blob);
  const ids: string[] = [];
  const step = referenceHeader.length + referenceBytes;
  for (let at = 0; at + step <= bytes.length && bytes.subarray(at, at + 2).equals(referenceHeader); at += step) {
    ids.push(bytes.subarray(at + 2, at + step).toString("hex"));
  }
  return ids;
}

function encodeVarint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}
