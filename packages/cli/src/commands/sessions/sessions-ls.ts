import { dirname } from "node:path";
import { type SessionRecord, type SessionState, sessionState } from "@caret/runtime";
import { absolutePath } from "../../config/config-paths.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { allSessions, workspaceSessions } from "../../store/find-session.ts";
import type { LogWork } from "../../store/log-work.ts";
import { ageText } from "../../terminal/amount-text.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { tableLines } from "../../terminal/table-lines.ts";
import { scratchRoot } from "../../workspaces/workspace-access.ts";

const SHORT_ID = 8;

export interface ListOptions {
  readonly search?: string;
  readonly workspace?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export async function listSessions({ host, config, store }: LogWork, options: ListOptions): Promise<ExitCode> {
  const { search, workspace, limit } = options;
  const found =
    workspace === undefined
      ? allSessions(store, search)
      : workspaceSessions(store, absolutePath(workspace, { ...host, base: host.cwd }), search);
  // Fetch one more than asked for, to know whether there are more.
  const sessions: SessionRecord[] = [];
  for await (const session of found) if (sessions.push(session) > limit) break;
  const listed = sessions.slice(0, limit);
  const states = await Promise.all(listed.map((session) => sessionState(store, session)));
  if (options.json === true)
    return await printJson(
      host,
      listed.map((session, index) => ({ ...session, state: states[index] })),
    );
  if (listed.length === 0) return await printLines(host, ["There are no such sessions."]);
  const look = hostLook(host);
  // Caret's own directory means nothing to a person: such a session is shown without a workspace.
  const scratch = scratchRoot(config);
  const shown = listed.map((session) =>
    dirname(session.workspace) === scratch ? { ...session, workspace: "(none)" } : session,
  );
  const more = sessions.length > limit ? [look.style.dim(`${look.glyphs.ellipsis} and more: --limit, --search`)] : [];
  return await printLines(host, [...tableLines(head, toRows(host, shown, states), look), ...(look.isTty ? more : [])]);
}

const head = [
  { title: "id" },
  { title: "used" },
  { title: "state" },
  { title: "lane", isMinor: true },
  { title: "model", cut: "end", isMinor: true },
  { title: "workspace", cut: "middle" },
  { title: "title", cut: "end" },
] as const;

function toRows(
  host: Host,
  sessions: readonly SessionRecord[],
  states: readonly SessionState[],
): readonly (readonly string[])[] {
  const idLength = shortestIds(sessions.map(({ id }) => id));
  return sessions.map(({ id, updatedAt, lane, model, workspace, title, archived }, index) => [
    id.slice(0, idLength),
    ageText(updatedAt, Date.now()),
    states[index] ?? "",
    lane ?? "",
    model ?? "",
    fromHome(workspace, host.home),
    `${archived ? "(archived) " : ""}${title ?? ""}`,
  ]);
}

/** The shortest prefix length that distinguishes all listed ids. */
function shortestIds(ids: readonly string[]): number {
  let length = SHORT_ID;
  while (length < 64 && new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length += 1;
  return length;
}

function fromHome(path: string, home: string): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
