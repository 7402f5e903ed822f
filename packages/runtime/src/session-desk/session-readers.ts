import { CaretError, type EventEnvelope, type SessionDesk, type UsageRow } from "@caret/protocol";
import type { UsageOfDay } from "../engine/event-store.ts";
import { toUsageDay } from "../store/usage-day.ts";
import type { DeskContext } from "./desk-context.ts";
import { exportAs } from "./export/export-as.ts";
import { createFileFinder } from "./find-files.ts";
import { followLog } from "./follow-log.ts";
import { followNews } from "./follow-news.ts";
import { readChanges } from "./git/read-changes.ts";
import { readLog } from "./read-log.ts";
import { boundPlace } from "./session-access.ts";
import { visiblePlace } from "./session-places.ts";

const NEWS_MS = 100;
const DEFAULT_PAGE = 50;
const MAX_PAGE = 500;
const MAX_DAYS = 3_660;
const DAY_MS = 24 * 60 * 60 * 1000;

type SessionReaders = Omit<
  SessionDesk,
  | "create"
  | "change"
  | "delete"
  | "fork"
  | "importSession"
  | "startTurn"
  | "cancelTurn"
  | "steerTurn"
  | "answerQuestion"
  | "answerApproval"
  | "listGrants"
  | "revokeGrant"
>;

/** What only looks. Followers end when the desk closes. */
export function sessionReaders(context: DeskContext, closing: AbortSignal): SessionReaders {
  const { options, store, ticks, find, view, onWaiting } = context;
  const { engine, now, newsMs = NEWS_MS, redactor } = options;
  /** Whoever sees a session may decide in it. */
  const forDecider = (sessionId: string, events: readonly EventEnvelope[]): readonly EventEnvelope[] =>
    engine.runningTurn(sessionId)?.forDecider(events) ?? events;
  const files = createFileFinder({ git: options, now });
  const untilClosing = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, closing]);

  return {
    findCommand: (name) => store.findCommand(name),

    async list({ limit = DEFAULT_PAGE, ...query }, caller) {
      const place = boundPlace(caller);
      const bound = place === undefined ? {} : { workspace: place };
      const { sessions, next } = await store.listSessions({
        ...query,
        ...bound,
        limit: Math.min(Math.max(1, limit), MAX_PAGE),
      });
      return { sessions: sessions.map(view), ...(next === undefined ? {} : { next }) };
    },
    get: async (sessionId, caller) => view(await find(sessionId, caller)),
    async readLog(sessionId, query, caller) {
      const { id } = await find(sessionId, caller);
      const page = await readLog(store, id, query);
      return { ...page, events: forDecider(id, page.events) };
    },
    async *followLog(sessionId, { after, raw = false, signal }, caller) {
      const { id } = await find(sessionId, caller);
      for await (const events of followLog({ store, ticks, sessionId: id, after, raw, signal: untilClosing(signal) }))
        yield forDecider(id, events);
    },
    followNews: (signal, caller) =>
      followNews({
        store,
        ticks,
        onWaiting,
        view,
        place: boundPlace(caller),
        now,
        newsMs,
        signal: untilClosing(signal),
      }),
    exportSession: async (sessionId, format, caller) =>
      exportAs(store, await find(sessionId, caller), format, redactor()),
    readImage: async (sessionId, name, caller) =>
      await context.attachments.read((await find(sessionId, caller)).id, name),
    async changes(sessionId, caller) {
      const { workspace } = await find(sessionId, caller);
      return await readChanges(options, visiblePlace(options, workspace, caller));
    },
    findFiles: async (workspace, query, caller) => await files.find(visiblePlace(options, workspace, caller), query),
    async usage(days, caller) {
      if (!Number.isSafeInteger(days) || days < 1 || days > MAX_DAYS)
        throw new CaretError("invalid-request", `Usage can be told for 1 to ${MAX_DAYS} days`);
      const place = boundPlace(caller);
      const from = toUsageDay(now() - (days - 1) * DAY_MS);
      const rows = await store.usageByDay(place === undefined ? { from } : { from, workspace: place });
      return rows.map(toUsageRow);
    },
  };
}

function toUsageRow({ model = "unknown", ...row }: UsageOfDay): UsageRow {
  return { ...row, model };
}
