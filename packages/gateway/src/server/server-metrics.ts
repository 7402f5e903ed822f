import type { ServerResponse } from "node:http";
import type { StreamMeter } from "../http/request-context.ts";
import type { Admission } from "./admission.ts";
import type { LiveRequests } from "./live-requests.ts";
import type { Metrics } from "./metrics.ts";

const SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300, 1800];
const MS_PER_SECOND = 1000;

export interface ServerMetrics {
  /** Counts the request once its connection or its answer is done with. */
  watch(raw: ServerResponse, method: string, route: string | undefined): void;
  readonly meter: StreamMeter;
}

interface Watched {
  readonly admission: Admission;
  readonly live: LiveRequests;
  /** How long a reader of a stream may take nothing at all. */
  readonly stuckMs: number;
}

/** What the server counts about itself. Routes are told by their pattern, so no stranger can invent a label. */
export function createServerMetrics(metrics: Metrics, { admission, live, stuckMs }: Watched): ServerMetrics {
  const requests = metrics.counter("caret_requests_total", "Requests, by route and status.");
  const seconds = metrics.histogram("caret_request_seconds", "How long requests took, streams to their end.", SECONDS);
  const bytes = metrics.counter("caret_stream_bytes_total", "Bytes written to streams.");
  const cut = metrics.counter("caret_slow_readers_total", "Readers that were cut because they did not read.");
  let streams = 0;
  metrics.gauge(
    "caret_requests_open",
    "Requests with a token that are being answered, this one included.",
    () => live.count,
  );
  metrics.gauge("caret_turns_running", "Answers to turns that are being written.", () => admission.running);
  metrics.gauge("caret_streams_open", "Streams that are open.", () => streams);

  return {
    watch(raw, method, route = "none") {
      const started = performance.now();
      raw.once("close", () => {
        requests.add(1, { method, route, status: String(raw.statusCode) });
        seconds.observe((performance.now() - started) / MS_PER_SECOND, { route });
      });
    },
    meter: {
      stuckMs,
      opened: () => {
        streams += 1;
      },
      closed: () => {
        streams -= 1;
      },
      wrote: (count) => bytes.add(count),
      cut: () => cut.add(1),
    },
  };
}
