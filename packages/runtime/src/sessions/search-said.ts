import type { Caller, FoundPlace, SearchQuery, SearchView, SessionView } from "@caret/protocol";
import type { EventStore, SessionRecord } from "../log/event-store.ts";
import type { SaidPlace } from "../log/search/said-query.ts";
import { scopeOf } from "./session-directories.ts";

const DEFAULT_PLACES = 20;
const MAX_PLACES = 100;

interface SearchContext {
  readonly store: EventStore;
  readonly find: (sessionId: string, caller: Caller) => Promise<SessionRecord>;
  readonly view: (session: SessionRecord) => SessionView;
}

/** What was said, with the session that each place is in. A caller finds only what was said where it may look. */
export async function searchSaid(
  { store, find, view }: SearchContext,
  { query, session, limit = DEFAULT_PLACES, before }: SearchQuery,
  caller: Caller,
): Promise<SearchView> {
  const sessionId = session === undefined ? undefined : (await find(session, caller)).id;
  // A person who looks for something in an open session also means what its turn says just now.
  if (sessionId !== undefined) await store.catchUpSearch({ sessionId });
  const { places, ...page } = await store.search({
    text: query,
    limit: Math.min(Math.max(1, limit), MAX_PLACES),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...scopeOf(caller),
    ...(before === undefined ? {} : { before }),
  });
  const ids = [...new Set(places.map((place) => place.sessionId))];
  const records = await Promise.all(ids.map((id) => store.getSession(id)));
  const views = new Map(records.filter((record) => record !== undefined).map((record) => [record.id, view(record)]));
  return { ...page, places: places.flatMap((place) => inSession(place, views.get(place.sessionId))) };
}

/** None when the session was deleted since. */
function inSession(place: SaidPlace, session: SessionView | undefined): readonly FoundPlace[] {
  if (session === undefined) return [];
  const { title, workspace, archived } = session;
  return [{ ...place, title, workspace, archived }];
}
