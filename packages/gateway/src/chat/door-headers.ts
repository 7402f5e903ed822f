import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, parseJson } from "@caret/protocol";
import { z } from "zod";
import { readIdempotencyKey } from "../http/idempotency-key.ts";
import type { DoorRequest } from "./door-request.ts";

/**
 * OpenCode, Codex, pi, Claude Code: ordered by how certain the name is. Excludes OpenAI's `prompt_cache_key`: programs set it once per
 * application or user, which would merge all their conversations.
 */
const SESSION_HEADERS = ["x-session-id", "session-id", "session_id", "x-claude-code-session-id"];

/** Longer values are not session names; they would only fill the index. */
const MAX_KEY_LENGTH = 512;

/** Where in the body clients put a session's name. */
export interface SessionHints {
  /** Anthropic's `metadata.user_id`: Claude Code packs a JSON text into it. */
  readonly userId?: unknown;
}

/**
 * The client's own name for the session, if any. A plain `user_id` does not count: it names a person, and would merge all of that person's
 * sessions.
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

/** Claude Code now sends JSON; before, it was `user_<hash>_account_<id>_session_<id>`. */
function sessionInUserId(userId: unknown): unknown {
  if (typeof userId !== "string") return undefined;
  if (!userId.startsWith("{")) return afterMark(userId, "_session_");
  // If it is not JSON after all, it is a person's id.
  const parsed = parseJson(userId);
  return isJsonObject(parsed) ? parsed["session_id"] : undefined;
}

function afterMark(text: string, mark: string): string | undefined {
  const at = text.indexOf(mark);
  return at === -1 ? undefined : text.slice(at + mark.length);
}

/** By the name they give in `user-agent`. All of them offer tools in every conversation. */
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

/** The caller marks a request as not part of a conversation: it gets an agent without tools and is not kept. */
export const SIDE_CALL_HEADER = "x-caret-side-call";

/** What a client says about a turn in its headers: in ours, and by its identity. */
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

/** The official SDKs count their attempts; an automatic retry is not a new request. */
function isSentAgain({ "x-stainless-retry-count": count }: IncomingHttpHeaders): boolean {
  return Number(count) > 0;
}

function single(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

/**
 * The name of a coding client that offers tools in every conversation, which makes its requests without tools side calls: titles,
 * summaries, pages to sum up. Undefined for any other client, and for those that do not identify themselves.
 */
function codingClientOf(headers: IncomingHttpHeaders): string | undefined {
  const agent = headers["user-agent"] ?? "";
  const known = codingClients.find(([product]) => product.test(agent))?.[1];
  if (known !== undefined) return known;
  return headers["x-claude-code-session-id"] === undefined ? undefined : "Claude Code";
}

/** Codex states the purpose of each request. */
function isCodexSideCall(headers: IncomingHttpHeaders): boolean {
  const metadata = headers["x-codex-turn-metadata"];
  const turn = typeof metadata === "string" ? codexTurn.safeParse(parseJson(metadata)).data : undefined;
  return turn?.thread_source === "thread_title" || turn?.request_kind === "compaction";
}
