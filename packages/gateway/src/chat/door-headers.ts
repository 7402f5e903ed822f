import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, parseJson } from "@caret/protocol";
import { z } from "zod";
import { readIdempotencyKey } from "../http/idempotency-key.ts";
import type { DoorRequest } from "./door-request.ts";

/**
 * OpenCode, Codex, pi, Claude Code: in the order in which the more certain name wins. OpenAI's `prompt_cache_key` is not
 * among them: programs set it once per application or user, and all their conversations would be taken for one.
 */
const SESSION_HEADERS = ["x-session-id", "session-id", "session_id", "x-claude-code-session-id"];

/** A name longer than this is no name; it would only fill the index. */
const MAX_KEY_LENGTH = 512;

/** Where in the body clients put a name for the session. */
export interface SessionHints {
  /** Anthropic's `metadata.user_id`: Claude Code packs a JSON text into it. */
  readonly userId?: unknown;
}

/**
 * The client's own name for the session, if it gives one. A plain `user_id` is none: it names a person, and all of a
 * person's sessions would run together.
 */
export function sessionKeyOf(headers: IncomingHttpHeaders, hints: SessionHints = {}): string | undefined {
  const named = SESSION_HEADERS.map((name) => headers[name]);
  return [...named, sessionInUserId(hints.userId)].map(toKey).find((key) => key !== undefined);
}

function toKey(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const key = value.trim();
  return key === "" || key.length > MAX_KEY_LENGTH ? undefined : key;
}

/** Claude Code sends JSON today; before, it was `user_<hash>_account_<id>_session_<id>`. */
function sessionInUserId(userId: unknown): unknown {
  if (typeof userId !== "string") return undefined;
  if (!userId.startsWith("{")) return afterMark(userId, "_session_");
  // What is not JSON after all is a person's id, whatever it looks like.
  const parsed = parseJson(userId);
  return isJsonObject(parsed) ? parsed["session_id"] : undefined;
}

function afterMark(text: string, mark: string): string | undefined {
  const at = text.indexOf(mark);
  return at === -1 ? undefined : text.slice(at + mark.length);
}

/** By what they call themselves in `user-agent`. All of them offer tools in every conversation. */
const codingClients: readonly (readonly [product: RegExp, name: string])[] = [
  [/\bclaude-(?:cli|code)\//i, "Claude Code"],
  [/\bcodex[\w-]{0,64}\//i, "Codex"],
  [/\bopencode\//i, "OpenCode"],
  [/\bfactory-cli\//i, "Droid"],
  [/\bqwen-?code\//i, "Qwen Code"],
  [/\bcline\//i, "Cline"],
  [/\broo-?code\//i, "Roo Code"],
  [/\bkilo-?code\//i, "Kilo Code"],
];

const codexTurn = z.object({ thread_source: z.string().optional(), request_kind: z.string().optional() });

/** What the caller says is no part of a conversation: it gets an agent without tools, and is not kept. */
export const SIDE_CALL_HEADER = "x-caret-side-call";

/** What a client says of a turn in its headers: in ours, and by what it is. */
export function doorHeaders(
  headers: IncomingHttpHeaders,
): Pick<DoorRequest, "workspace" | "owner" | "codingClient" | "isSideCall" | "idempotencyKey" | "isSentAgain"> {
  const isSideCall = single(headers[SIDE_CALL_HEADER])?.toLowerCase() === "true" || isCodexSideCall(headers);
  const idempotencyKey = readIdempotencyKey(headers);
  return {
    workspace: single(headers["x-caret-workspace"]),
    owner: single(headers["x-caret-tools"]),
    codingClient: codingClientOf(headers),
    ...(isSideCall ? { isSideCall } : {}),
    ...(isSentAgain(headers) ? { isSentAgain: true } : {}),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

/** The official SDKs count their attempts: what they send again by themselves is no new request. */
function isSentAgain({ "x-stainless-retry-count": count }: IncomingHttpHeaders): boolean {
  return Number(count) > 0;
}

function single(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

/**
 * The name of a coding client that offers tools in every conversation, so that its requests without any are side calls:
 * titles, summaries, pages to sum up. Undefined for any other client, and for those that do not say what they are.
 */
function codingClientOf(headers: IncomingHttpHeaders): string | undefined {
  const agent = headers["user-agent"] ?? "";
  const known = codingClients.find(([product]) => product.test(agent))?.[1];
  if (known !== undefined) return known;
  return headers["x-claude-code-session-id"] === undefined ? undefined : "Claude Code";
}

/** Codex says with each request what it is for. */
function isCodexSideCall(headers: IncomingHttpHeaders): boolean {
  const metadata = headers["x-codex-turn-metadata"];
  const turn = typeof metadata === "string" ? codexTurn.safeParse(parseJson(metadata)).data : undefined;
  return turn?.thread_source === "thread_title" || turn?.request_kind === "compaction";
}
