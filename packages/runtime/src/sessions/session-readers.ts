import { CaretError, type EventEnvelope, type Sessions, type UsageRow } from "@caret/protocol";
import type { Git } from "../git/run-git.ts";
import type { UsageOfDay } from "../log/event-store.ts";
import { pullEvents } from "../log/follow.ts";
import { toUsageDay } from "../log/session-record.ts";
import { agentCommands } from "./agent-commands.ts";
import { listFiles } from "./changes/list-files.ts";
import { readChanges } from "./changes/read-changes.ts";
import { exportAs } from "./export/export-as.ts";
import { findSymbols } from "./find-symbols.ts";
import { foldersOf, rankPaths } from "./rank-paths.ts";
import { readLog } from "./read-log.ts";
import { searchSaid } from "./search-said.ts";
import { scopeOf, visibleWorkspace } from "./session-directories.ts";
import { followUpdates } from "./session-updates.ts";
import type { SessionsContext } from "./sessions-context.ts";

const MAX_FOUND = 50;

/** Cache the file list while the user is typing. */
const FRESH_MS = 5_000;

const UPDATES_MS = 100;
const DEFAULT_PAGE = 50;
const MAX_PAGE = 500;
const MAX_DAYS = 3_660;
const DAY_MS = 24 * 60 * 60 * 1000;

type SessionReaders = Pick<
  Sessions,
  | "findCommand"
  | "list"
  | "get"
  | "search"
  | "readLog"
  | "followLog"
  | "followUpdates"
  | "followEditor"
  | "exportSession"
  | "readImage"
  | "changes"
  | "findFiles"
  | "findSymbols"
  | "agentCommands"
  | "usage"
  | "budget"
>;

/** The methods of `Sessions` that change nothing. Followers end when it closes. */
export function sessionReaders(context: SessionsContext, closing: AbortSignal): SessionReaders {
  const { options, store, ticks, find, view, onWaiting, turnOf } = context;
  const { engine, now, updatesMs = UPDATES_MS, redactor } = options;
  /** A caller that sees a session may answer its approvals. */
  const forDecider = (sessionId: string, events: readonly EventEnvelope[]): readonly EventEnvelope[] =>
    turnOf(sessionId)?.forDecider(events) ?? events;
  const untilClosing = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, closing]);

  return {
    findCommand: (name) => store.findCommand(name),

    async list({ limit = DEFAULT_PAGE, ...query }, caller) {
      const { sessions, next } = await store.listSessions({
        ...query,
        ...scopeOf(caller),
        limit: Math.min(Math.max(1, limit), MAX_PAGE),
      });
      return { sessions: sessions.map(view), ...(next === undefined ? {} : { next }) };
    },
    get: async (sessionId, caller) => view(await find(sessionId, caller)),
    search: (query, caller) => searchSaid(context, query, caller),
    async readLog(sessionId, query, caller) {
      const { id } = await find(sessionId, caller);
      const page = await readLog(store, id, query);
      return { ...page, events: forDecider(id, page.events) };
    },
    async *followLog(sessionId, { after, raw = false, signal }, caller) {
      const { id } = await find(sessionId, caller);
      const restore = (events: readonly EventEnvelope[]) => forDecider(id, events);
      const log = { store, sessionId: id };
      yield* pullEvents(log, { from: after, until: "never", signal: untilClosing(signal), restore, raw, ticks });
    },
    followUpdates: (signal, caller) =>
      followUpdates({
        store,
        ticks,
        onWaiting,
        view,
        scope: scopeOf(caller),
        now,
        updatesMs,
        signal: untilClosing(signal),
      }),
    async *followEditor(sessionId, { offer, signal }, caller) {
      const { id } = await find(sessionId, caller);
      yield* context.editors.follow(id, { offer, signal: untilClosing(signal) });
    },
    exportSession: async (sessionId, format, caller) =>
      exportAs(store, await find(sessionId, caller), format, redactor()),
    readImage: async (sessionId, name, caller) =>
      await context.attachments.read((await find(sessionId, caller)).id, name),
    async changes(sessionId, caller) {
      const { workspace } = await find(sessionId, caller);
      return await readChanges(options, visibleWorkspace(options, workspace, caller));
    },
    ...workspaceReaders(options),
    budget: async (sessionId, caller) =>
      engine.budget(sessionId === undefined ? undefined : await find(sessionId, caller), caller),
    async usage(days, caller) {
      if (!Number.isSafeInteger(days) || days < 1 || days > MAX_DAYS)
        throw new CaretError("invalid-request", `days must be from 1 to ${MAX_DAYS}`);
      const from = toUsageDay(now() - (days - 1) * DAY_MS);
      const rows = await store.usageByDay({ from, ...scopeOf(caller) });
      return rows.map(toUsageRow);
    },
  };
}

/** What a prompt may name of a workspace. */
function workspaceReaders(
  options: SessionsContext["options"],
): Pick<Sessions, "findFiles" | "findSymbols" | "agentCommands"> {
  const files = createFileFinder({ git: options, now: options.now });
  return {
    findFiles: async (workspace, query, caller, { folders = false } = {}) =>
      await files.find(visibleWorkspace(options, workspace, caller), query, folders),
    findSymbols: async (workspace, query, caller) =>
      await findSymbols(options, visibleWorkspace(options, workspace, caller), query),
    agentCommands: async (workspace, lane, caller) =>
      await agentCommands(options, visibleWorkspace(options, workspace, caller), lane),
  };
}

function toUsageRow({ model = "unknown", ...row }: UsageOfDay): UsageRow {
  return { ...row, model };
}

interface FileFinder {
  /** Paths relative to the workspace, best first. */
  find(workspace: string, query: string, folders: boolean): Promise<readonly string[]>;
}

function createFileFinder({ git, now }: { readonly git: Git; readonly now: () => number }): FileFinder {
  let last: { readonly workspace: string; readonly at: number; readonly paths: Promise<readonly string[]> } | undefined;
  return {
    async find(workspace, query, folders) {
      if (last?.workspace !== workspace || now() - last.at > FRESH_MS)
        last = { workspace, at: now(), paths: listFiles(git, workspace) };
      const list = last;
      try {
        const paths = await list.paths;
        return rankPaths(folders ? [...paths, ...foldersOf(paths)] : paths, query, MAX_FOUND);
      } catch (reason) {
        if (last === list) last = undefined;
        throw reason;
      }
    },
  };
}
