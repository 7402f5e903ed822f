import { CaretError, type NativeClient, type SessionPageView } from "@caret/protocol";
import type { StoreApi } from "zustand/vanilla";
import type { FoundSessions, PageState } from "./page-state.ts";
import { putSessions } from "./session-list.ts";

const FOUND_PAGE = 50;

/** Search while the user types: the newest query wins, whichever answer comes first. */
export function searchSessions(store: StoreApi<PageState>, api: Pick<NativeClient, "listSessions">) {
  let asking = new AbortController();

  const ask = async (found: FoundSessions, after: string | undefined): Promise<void> => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    store.setState({ found: { ...found, isLoading: true } });
    const query = { search: found.search, archived: found.archived, limit: FOUND_PAGE, ...(after && { after }) };
    try {
      const page = await api.listSessions(query, { signal });
      if (!signal.aborted) store.setState(({ sessions }) => takeFound(sessions, found, page));
    } catch (reason) {
      if (!signal.aborted) store.setState({ found: { ...found, isLoading: false, error: CaretError.from(reason) } });
    }
  };

  return {
    search(search: string, archived: boolean): void {
      const { found } = store.getState();
      if (search === "" && !archived) {
        asking.abort();
        store.setState({ found: undefined });
        return;
      }
      // What was found before stays until the answer is there, so that the list does not flicker at each letter.
      const ids = found?.archived === archived ? found.ids : [];
      // `ask` keeps what went wrong in the store.
      void ask({ search, archived, ids, isLoading: true }, undefined);
    },
    async loadMoreFound(): Promise<void> {
      const { found } = store.getState();
      if (found?.next !== undefined && !found.isLoading) await ask(found, found.next);
    },
  };
}

function takeFound(sessions: PageState["sessions"], found: FoundSessions, page: SessionPageView): Partial<PageState> {
  const { search, archived } = found;
  const before = found.next === undefined ? [] : found.ids;
  const ids = [...new Set([...before, ...page.sessions.map(({ id }) => id)])];
  const next = page.next === undefined ? {} : { next: page.next };
  return {
    sessions: putSessions(sessions, page.sessions),
    found: { search, archived, ids, isLoading: false, ...next },
  };
}
