import { expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";

it("writes counters, gauges and histograms as Prometheus reads them", () => {
  const metrics = createMetrics();
  const requests = metrics.counter("caret_requests_total", "Requests.");
  metrics.gauge("caret_turns", "Turns.", () => 3);
  const seconds = metrics.histogram("caret_seconds", "Durations.", [0.1, 1]);
  requests.add(1, { route: "/v1/messages", status: "200" });
  requests.add(2, { route: "/v1/messages", status: "200" });
  requests.add(1, { route: 'a"b\\c\nd', status: "404" });
  seconds.observe(0.05, { route: "/" });
  seconds.observe(0.5, { route: "/" });
  seconds.observe(5, { route: "/" });
  expect(metrics.render()).toBe(
    [
      "# HELP caret_requests_total Requests.",
      "# TYPE caret_requests_total counter",
      'caret_requests_total{route="/v1/messages",status="200"} 3',
      'caret_requests_total{route="a\\"b\\\\c\\nd",status="404"} 1',
      "# HELP caret_turns Turns.",
      "# TYPE caret_turns gauge",
      "caret_turns 3",
      "# HELP caret_seconds Durations.",
      "# TYPE caret_seconds histogram",
      'caret_seconds_bucket{route="/",le="0.1"} 1',
      'caret_seconds_bucket{route="/",le="1"} 2',
      'caret_seconds_bucket{route="/",le="+Inf"} 3',
      'caret_seconds_sum{route="/"} 5.55',
      'caret_seconds_count{route="/"} 3',
      "",
    ].join("\n"),
  );
});

it("writes what has no labels without braces", () => {
  const metrics = createMetrics();
  metrics.counter("caret_bytes_total", "Bytes.").add(7);
  expect(metrics.render()).toBe(
    "# HELP caret_bytes_total Bytes.\n# TYPE caret_bytes_total counter\ncaret_bytes_total 7\n",
  );
});
