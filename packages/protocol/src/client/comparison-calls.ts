import type { ComparisonView, DropComparison, PickCandidate, StartComparison } from "../api/comparison-view.ts";
import { parseJson } from "../json/json.ts";
import { type FollowOptions, followStream, type StreamBatch } from "./follow-stream.ts";
import { at, get, post, readJson } from "./native-calls.ts";
import type { NativeClientOptions, NativeWire, RequestOptions } from "./native-wire.ts";
import { sseConnection } from "./sse-connection.ts";

export interface ComparisonCalls {
  startComparison(wanted: StartComparison, options?: RequestOptions): Promise<ComparisonView>;
  /** This gateway's comparisons, oldest first. */
  listComparisons(options?: RequestOptions): Promise<readonly ComparisonView[]>;
  getComparison(id: string, options?: RequestOptions): Promise<ComparisonView>;
  /** Yields the state after each change, until picked or dropped. Following keeps an attended comparison alive. */
  followComparison(id: string, options: FollowOptions): AsyncIterable<ComparisonView>;
  pickCandidate(id: string, wanted: PickCandidate, options?: RequestOptions): Promise<ComparisonView>;
  dropComparison(id: string, wanted?: DropComparison, options?: RequestOptions): Promise<ComparisonView>;
}

export function comparisonCalls(wire: NativeWire, options: NativeClientOptions): ComparisonCalls {
  const { silenceMs } = options;
  const following = { ...options, retryNow: new EventTarget() };
  return {
    startComparison: (wanted, request) => post(wire, "comparisons", wanted, request),
    listComparisons: async (request) =>
      (await get<{ readonly comparisons: readonly ComparisonView[] }>(wire, "comparisons", {}, request)).comparisons,
    getComparison: (id, request) => get(wire, at`comparisons/${id}`, {}, request),
    followComparison: (id, wanted) => {
      const path = at`comparisons/${id}/stream`;
      const connect = (signal: AbortSignal) => sseConnection(wire, { path, signal, silenceMs });
      return toViews(followStream(connect, wanted, following));
    },
    pickCandidate: (id, wanted, request) => post(wire, at`comparisons/${id}/pick`, wanted, request),
    dropComparison: (id, wanted = {}, request) =>
      wire.send({ ...request, method: "DELETE", path: at`comparisons/${id}`, query: wanted }, readJson<ComparisonView>),
  };
}

/** Yields the newest view of each read; ends with the comparison. */
async function* toViews(stream: AsyncIterable<StreamBatch>): AsyncGenerator<ComparisonView, void> {
  for await (const messages of stream) {
    const view = (messages ?? []).map(({ data }) => parseJson(data) as ComparisonView | undefined).at(-1);
    if (view === undefined) continue;
    yield view;
    if (view.state === "picked" || view.state === "dropped") return;
  }
}
