import { laneNames, permissionWords, sandboxWords } from "@caret/protocol";
import { z } from "zod";
import type { LastTurn, SessionRecord } from "../event-store.ts";
import { progressFields, type SessionProgress } from "../session-progress.ts";
import { isTrue, jsonOf, type Row } from "./row.ts";
import { toUsage } from "./usage-rows.ts";

/** A lane unknown to this release is dropped instead of failing the whole list. */
const laneSchema = z.enum(laneNames).optional().catch(undefined);
const attachmentSchema = z.object({
  lane: z.enum(laneNames),
  sessionId: z.string(),
  version: z.string().exactOptional(),
  configDir: z.string().exactOptional(),
  isReserved: z.boolean().exactOptional(),
});
const upstreamSchema = z
  .array(attachmentSchema.nullable().catch(null))
  .transform((attachments) => attachments.filter((attachment) => attachment !== null));

const permissionSchema = z.enum(permissionWords).optional().catch(undefined);
const sandboxSchema = z.enum(sandboxWords).optional().catch(undefined);
const limitSchema = z.object({ tokens: z.number().exactOptional(), usd: z.number().exactOptional() });
const budgetSchema = z.object({ turn: limitSchema.exactOptional(), session: limitSchema.exactOptional() });
const queuedSchema = z.object({ count: z.number(), at: z.number().nullable() });
const machineWaitSchema = z.object({ machine: z.string(), turnId: z.string(), since: z.number() });
export const hiddenStates = ["staged", "removed"] as const;
const lineStates = ["closed", "awaited", "growing"] as const;
const outcomes = ["completed", "cancelled", "failed"] as const;

export function toProgress(row: Row): SessionProgress {
  return {
    lastSeq: Number(row["last_seq"]),
    line: { text: String(row["last_line"]), state: wordOf(lineStates, row["line_state"]) ?? "closed" },
    lastTurn: toLastTurn(row),
  };
}

/** Read with every append, so it must be quick. */
export function wordOf<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value);
}

function toLastTurn(row: Row): LastTurn | undefined {
  if (row["last_turn"] === null) return undefined;
  const outcome = wordOf(outcomes, row["last_outcome"]);
  const turn = { turnId: String(row["last_turn"]), at: Number(row["last_turn_at"]) };
  return outcome === undefined ? turn : { ...turn, outcome };
}

function userOf({ user_name: user, team_name: team }: Row): Pick<SessionRecord, "user" | "team"> {
  return { ...(user === null ? {} : { user: String(user) }), ...(team === null ? {} : { team: String(team) }) };
}

function agentOf({ agent, asks_since: since }: Row): Pick<SessionRecord, "agent" | "asksSince"> {
  return {
    ...(agent === null ? {} : { agent: String(agent) }),
    ...(since === null ? {} : { asksSince: Number(since) }),
  };
}

function queuedOf({ queued }: Row): Pick<SessionRecord, "queued"> {
  const { count, at } = queuedSchema.parse(jsonOf(queued));
  return at === null ? {} : { queued: { count, at } };
}

/** A single-machine store has no such column. */
function machineWaitOf({ machine_wait: wait = null }: Row): Pick<SessionRecord, "machineWait"> {
  return wait === null ? {} : { machineWait: machineWaitSchema.parse(wait) };
}

function originOf({ forked_from: from, forked_seq: seq }: Row): Pick<SessionRecord, "forkedFrom"> {
  return from === null ? {} : { forkedFrom: { sessionId: String(from), seq: Number(seq) } };
}

export function toUpstream(row: Row): SessionRecord["upstream"] {
  return upstreamSchema.parse(JSON.parse(String(row["upstream"])));
}

/** Both stores use the same column names; SQLite has no booleans and returns JSON as text. */
export function toSession(row: Row): SessionRecord {
  const lane = laneSchema.parse(row["lane"] ?? undefined);
  const permission = permissionSchema.parse(row["permission"] ?? undefined);
  const sandbox = sandboxSchema.parse(row["sandbox"] ?? undefined);
  const usage = toUsage(jsonOf(row["used"]));
  return {
    id: String(row["id"]),
    ...userOf(row),
    workspace: String(row["workspace"]),
    ...(row["title"] === null ? {} : { title: String(row["title"]) }),
    ...(lane === undefined ? {} : { lane }),
    ...(row["model"] === null ? {} : { model: String(row["model"]) }),
    ...(permission === undefined ? {} : { permission }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(row["budget"] === null ? {} : { budget: budgetSchema.parse(JSON.parse(String(row["budget"]))) }),
    ...agentOf(row),
    ...queuedOf(row),
    ...machineWaitOf(row),
    ...originOf(row),
    createdAt: Number(row["created_at"]),
    ...(isTrue(row["imported"]) ? { imported: true } : {}),
    updatedAt: Number(row["updated_at"]),
    archived: isTrue(row["archived"]),
    ...(isTrue(row["pinned"]) ? { pinned: true } : {}),
    ...progressFields(toProgress(row)),
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    upstream: toUpstream(row),
  };
}
