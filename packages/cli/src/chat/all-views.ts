import type { NativeClient, SessionView } from "@caret/protocol";

const PAGE = 100;

/** Yields a gateway's sessions in list order, fetching page by page. */
export async function* allViews(
  client: Pick<NativeClient, "listSessions">,
  search = "",
): AsyncGenerator<SessionView, void, undefined> {
  let after: string | undefined;
  do {
    const { sessions, next } = await client.listSessions({
      ...(search === "" ? {} : { search }),
      ...(after === undefined ? {} : { after }),
      limit: PAGE,
    });
    yield* sessions;
    after = next;
  } while (after !== undefined);
}
