import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, parseJson } from "@caret/protocol";

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
  if (!userId.startsWith("{")) return /_session_(.+)$/.exec(userId)?.[1];
  // What is not JSON after all is a person's id, whatever it looks like.
  const parsed = parseJson(userId);
  return isJsonObject(parsed) ? parsed["session_id"] : undefined;
}
