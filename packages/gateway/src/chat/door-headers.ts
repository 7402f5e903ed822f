import type { IncomingHttpHeaders } from "node:http";
import { parseJson } from "@caret/protocol";
import { z } from "zod";
import type { DoorRequest } from "./door-request.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";

/** By what they call themselves in `user-agent`. All of them offer tools in every conversation. */
const codingClients: readonly (readonly [product: RegExp, name: string])[] = [
  [/\bclaude-(?:cli|code)\//i, "Claude Code"],
  [/\bcodex[\w-]*\//i, "Codex"],
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
): Pick<DoorRequest, "workspace" | "owner" | "codingClient" | "isSideCall" | "idempotencyKey"> {
  const isSideCall = single(headers[SIDE_CALL_HEADER])?.toLowerCase() === "true" || isCodexSideCall(headers);
  const idempotencyKey = readIdempotencyKey(headers);
  return {
    workspace: single(headers["x-caret-workspace"]),
    owner: single(headers["x-caret-tools"]),
    codingClient: codingClientOf(headers),
    ...(isSideCall ? { isSideCall } : {}),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
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
