import { CaretError } from "@caret/protocol";
import { type EventStore, physicalPath, type SessionRecord } from "@caret/runtime";

const PAGE = 200;
const NAMED = 5;

/** Finds a session by id or unique prefix. Undefined if there is none. */
export async function lookUpSession(store: EventStore, id: string): Promise<SessionRecord | undefined> {
  const exact = await store.getSession(id);
  if (exact !== undefined || id === "") return exact;
  const prefix = id.toLowerCase();
  const found: SessionRecord[] = [];
  for await (const session of allSessions(store, prefix))
    if (session.id.toLowerCase().startsWith(prefix)) found.push(session);
  if (found.length > 1) throw ambiguous(id, found);
  return found[0];
}

/** Like `lookUpSession`, but the session must exist. */
export async function findSession(store: EventStore, id: string): Promise<SessionRecord> {
  const session = await lookUpSession(store, id);
  if (session === undefined) throw new CaretError("session-not-found", `There is no session ${JSON.stringify(id)}`);
  return session;
}

/** The most recently used session of a workspace. */
export async function newestSession(store: EventStore, workspace: string): Promise<SessionRecord | undefined> {
  for await (const session of workspaceSessions(store, workspace)) return session;
  return undefined;
}

/** A workspace's sessions, most recently used first, however its path was written. */
export async function* workspaceSessions(
  store: EventStore,
  workspace: string,
  search = "",
): AsyncGenerator<SessionRecord, void, undefined> {
  const wanted = physicalPath(workspace);
  for await (const session of allSessions(store, search))
    if (!session.archived && physicalPath(session.workspace) === wanted) yield session;
}

/** Fetches page by page: there may be thousands, and usually the first page is enough. */
export async function* allSessions(store: EventStore, search = ""): AsyncGenerator<SessionRecord, void, undefined> {
  let after: string | undefined;
  do {
    const query = { search, limit: PAGE, ...(after === undefined ? {} : { after }) };
    const page = await store.listSessions(query);
    yield* page.sessions;
    after = page.next;
  } while (after !== undefined);
}

function ambiguous(id: string, found: readonly SessionRecord[]): CaretError {
  const names = found.slice(0, NAMED).map((session) => `${session.id}  ${session.title ?? ""}`.trimEnd());
  const more = found.length > NAMED ? [`and ${found.length - NAMED} more`] : [];
  return new CaretError("invalid-request", `${found.length} sessions begin with ${JSON.stringify(id)}`, {
    upstream: [...names, ...more].join("\n"),
    fix: "Write more of the id.",
  });
}
