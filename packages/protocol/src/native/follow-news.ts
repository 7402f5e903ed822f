import type { StreamBatch } from "./follow-stream.ts";
import { parseJson } from "./native-wire.ts";
import type { SessionNews } from "./session-view.ts";

/** `opened`: from here on nothing is missed; what was before it, the list of sessions tells. */
export type NewsItem = SessionNews | { readonly kind: "opened" };

export async function* followNews(stream: AsyncIterable<StreamBatch>): AsyncGenerator<readonly NewsItem[], void> {
  for await (const messages of stream) {
    if (messages === undefined) yield [{ kind: "opened" }];
    else yield messages.flatMap(({ data }) => (parseJson(data) as SessionNews | undefined) ?? []);
  }
}
