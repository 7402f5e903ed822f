import { CaretError } from "@caret/protocol";
import { type EventStore, type PruneRule, pruneSessions, removeSession, type SessionRecord } from "@caret/runtime";
import { retentionRules } from "../../config/number-schemas.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { withBelongings } from "../../ports/session-belongings.ts";
import { findSession } from "../../store/find-session.ts";
import type { LogWork } from "../../store/log-work.ts";
import { confirm } from "../../terminal/confirm.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 60 * 60_000, d: DAY_MS, w: 7 * DAY_MS };

export interface RemoveOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Resolves all ids before deleting anything: a wrong id, or a running turn, means nothing is deleted. */
export async function removeSessions(
  log: LogWork,
  ids: readonly string[],
  { yes, json }: RemoveOptions,
): Promise<ExitCode> {
  const { host, store } = log;
  const sessions = new Map<string, SessionRecord>();
  for (const id of ids) {
    const session = await findSession(store, id);
    sessions.set(session.id, session);
  }
  const names = [...sessions.values()].map(nameOf);
  if (yes !== true && host.stdin.isTTY === true && !(await confirms(host, names))) {
    await printLines(host, ["Nothing was deleted."]);
    return exitCodes.cancelled;
  }
  await assertFree(store, [...sessions.values()]);
  await withBelongings(log, async (belongings) => {
    for (const id of sessions.keys()) await removeSession(belongings, id);
  });
  return await report(host, [...sessions.keys()], { json, verb: "Deleted" });
}

export interface PruneCommandOptions {
  readonly olderThan?: string;
  readonly keep?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** A running turn, in whichever process, would lose its session. */
async function assertFree(store: EventStore, sessions: readonly SessionRecord[]): Promise<void> {
  for (const { id } of sessions)
    for (const { turnId, owner } of await store.runningTurns({ sessionId: id }))
      if (store.isOwnerAlive(owner))
        throw new CaretError("session-busy", `A turn of the session ${id} runs (${turnId})`, {
          fix: "Stop the turn first, on the page or in its terminal, or wait for its end.",
        });
}

export async function pruneOldSessions(
  log: LogWork,
  { olderThan, keep, dryRun, json }: PruneCommandOptions,
): Promise<ExitCode> {
  const { host, config, store } = log;
  const rules =
    olderThan === undefined && keep === undefined ? retentionRules(config.retention) : [flagRule(olderThan, keep)];
  if (rules.length === 0)
    throw new CaretError("invalid-request", "No age or number of sessions to keep was given", {
      fix: "Add --older-than 30d or --keep 100, or set `retention.days` or `retention.sessions`.",
    });
  if (dryRun === true) {
    const ids = await Promise.all(rules.map((rule) => store.prunable(rule)));
    return await report(host, [...new Set(ids.flat())], { json, verb: "Would delete" });
  }
  const gone = await withBelongings(log, async (belongings) => {
    const remove = (id: string, updatedBefore: number) => removeSession(belongings, id, { updatedBefore });
    return await pruneSessions({ store, rules, remove, now: Date.now });
  });
  return await report(host, gone, { json, verb: "Deleted" });
}

function flagRule(olderThan: string | undefined, keep: number | undefined): PruneRule {
  return { olderThanMs: olderThan === undefined ? 0 : ageMs(olderThan), keep: keep ?? 0 };
}

function ageMs(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ms = unitMs[unit];
  if (count !== undefined && ms !== undefined) return Number(count) * ms;
  throw new CaretError("invalid-request", `${JSON.stringify(text)} is not an age`, {
    fix: "Write a number and a unit: 45m, 12h, 30d, 8w.",
  });
}

function nameOf({ id, title }: SessionRecord): string {
  return cleanLine(`${id}  ${title ?? ""}`);
}

async function confirms(host: Host, names: readonly string[]): Promise<boolean> {
  await printLines(host, names);
  const what = names.length === 1 ? "this session" : `these ${names.length} sessions`;
  return await confirm(host, `Delete ${what} and all events?`);
}

async function report(
  host: Host,
  ids: readonly string[],
  { json, verb }: { readonly json: boolean | undefined; readonly verb: string },
): Promise<ExitCode> {
  if (json === true) return await printJson(host, ids);
  const count = `${verb} ${ids.length} ${ids.length === 1 ? "session" : "sessions"}`;
  return await printLines(host, ids.length === 0 ? [`${count}.`] : [`${count}:`, ...ids.map((id) => `  ${id}`)]);
}
