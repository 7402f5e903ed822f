import { createInterface } from "node:readline/promises";
import { CaretError } from "@caret/protocol";
import type { SessionRecord } from "@caret/runtime";
import { type ExitCode, exitCodes, type Host } from "../host.ts";
import { cleanLine } from "../terminal/text-cleaner.ts";
import { allSessions, findSession } from "./find-session.ts";
import type { LogWork } from "./log-work.ts";
import { printJson, printLines } from "./print.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 60 * 60_000, d: DAY_MS, w: 7 * DAY_MS };

export interface RemoveOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** All are found before the first is deleted: a wrong id deletes nothing. */
export async function removeSessions(
  { host, store }: LogWork,
  ids: readonly string[],
  { yes, json }: RemoveOptions,
): Promise<ExitCode> {
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
  for (const id of sessions.keys()) await store.deleteSession(id);
  return await tell(host, [...sessions.keys()], { json, verb: "Deleted" });
}

export interface PruneCommandOptions {
  readonly olderThan?: string;
  readonly keep?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface Rule {
  readonly olderThanMs: number;
  readonly keep: number;
}

export async function pruneSessions(
  { host, config, store }: LogWork,
  { olderThan, keep, dryRun, json }: PruneCommandOptions,
): Promise<ExitCode> {
  const rules =
    olderThan === undefined && keep === undefined ? retentionRules(config.retention) : [flagRule(olderThan, keep)];
  if (rules.length === 0)
    throw new CaretError("invalid-request", "Nothing says which sessions are old", {
      fix: "Add --older-than 30d or --keep 100, or set `retention.days` or `retention.sessions`.",
    });
  const ids = new Set<string>();
  for (const rule of rules)
    for (const id of dryRun === true ? await prunable(rule) : await store.prune(rule)) ids.add(id);
  return await tell(host, [...ids], { json, verb: dryRun === true ? "Would delete" : "Deleted" });

  async function prunable(rule: Rule): Promise<readonly string[]> {
    const running = new Set((await store.runningTurns()).map(({ sessionId }) => sessionId));
    const sessions: SessionRecord[] = [];
    for await (const session of allSessions(store)) sessions.push(session);
    const isOld = ({ updatedAt }: SessionRecord) => updatedAt < Date.now() - rule.olderThanMs;
    return sessions
      .slice(rule.keep)
      .filter((session) => isOld(session) && !running.has(session.id))
      .map(({ id }) => id);
  }
}

function flagRule(olderThan: string | undefined, keep: number | undefined): Rule {
  return { olderThanMs: olderThan === undefined ? 0 : ageMs(olderThan), keep: keep ?? 0 };
}

/** Each setting is a limit of its own: a session goes when it is too old, and when there are too many newer ones. */
function retentionRules({ days, sessions }: LogWork["config"]["retention"]): readonly Rule[] {
  return [
    ...(days === undefined ? [] : [{ olderThanMs: days * DAY_MS, keep: 0 }]),
    ...(sessions === undefined ? [] : [{ olderThanMs: 0, keep: sessions }]),
  ];
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
  const asking = createInterface({ input: host.stdin, output: host.stdout });
  try {
    const what = names.length === 1 ? "this session" : `these ${names.length} sessions`;
    return /^y(?:es)?$/i.test((await asking.question(`Delete ${what} and all events? [y/N] `)).trim());
  } catch {
    // Ctrl-C or Ctrl-D: no answer is no consent.
    return false;
  } finally {
    asking.close();
  }
}

async function tell(
  host: Host,
  ids: readonly string[],
  { json, verb }: { readonly json: boolean | undefined; readonly verb: string },
): Promise<ExitCode> {
  if (json === true) return await printJson(host, ids);
  const count = `${verb} ${ids.length} ${ids.length === 1 ? "session" : "sessions"}`;
  return await printLines(host, ids.length === 0 ? [`${count}.`] : [`${count}:`, ...ids.map((id) => `  ${id}`)]);
}
