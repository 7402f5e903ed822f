import type { ServerResponse } from "node:http";
import type { LiveRequests } from "../access/live-requests.ts";
import type { StreamMeter } from "../http/request-context.ts";

const SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300, 1800];

const MS_PER_SECOND = 1000;

type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(amount: number, labels?: Labels): void;
}

interface Histogram {
  observe(value: number, labels?: Labels): void;
}

/** Metrics for Prometheus, in its text format. Every label's values come from a closed list, so nothing grows without limit. */
export interface Metrics {
  counter(name: string, help: string): Counter;
  /** Read on each render. */
  gauge(name: string, help: string, read: () => number): void;
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  render(): string;
}

interface Family {
  readonly head: string;
  lines(): readonly string[];
}

export function createMetrics(): Metrics {
  const families: Family[] = [];

  function add(name: string, help: string, type: string, lines: Family["lines"]): void {
    families.push({ head: `# HELP ${name} ${help}\n# TYPE ${name} ${type}`, lines });
  }

  return {
    counter(name, help) {
      const values = new Map<string, number>();
      add(name, help, "counter", () => [...values].map(([labels, value]) => `${name}${braces(labels)} ${value}`));
      return {
        add: (amount, labels = {}) => {
          const key = labelText(labels);
          values.set(key, (values.get(key) ?? 0) + amount);
        },
      };
    },
    gauge: (name, help, read) => add(name, help, "gauge", () => [`${name} ${read()}`]),
    histogram(name, help, bounds) {
      const series = new Map<string, Series>();
      add(name, help, "histogram", () => [...series].flatMap(([labels, value]) => seriesLines(name, labels, value)));
      return {
        observe: (value, labels = {}) => {
          const key = labelText(labels);
          const found = series.get(key) ?? { bounds, counts: bounds.map(() => 0), sum: 0, count: 0 };
          series.set(key, found);
          countValue(found, value);
        },
      };
    },
    render: () => families.map(({ head, lines }) => `${[head, ...lines()].join("\n")}\n`).join(""),
  };
}

interface Series {
  readonly bounds: readonly number[];
  /** Count of values up to the bound at the same index. */
  readonly counts: number[];
  sum: number;
  count: number;
}

function countValue(series: Series, value: number): void {
  series.sum += value;
  series.count += 1;
  // From the highest bound down, so it stops at the first bound below the value.
  for (let index = series.bounds.length - 1; index >= 0 && value <= (series.bounds[index] ?? 0); index -= 1)
    series.counts[index] = (series.counts[index] ?? 0) + 1;
}

function seriesLines(name: string, labels: string, { bounds, counts, sum, count }: Series): readonly string[] {
  const comma = labels === "" ? "" : ",";
  const bucket = (bound: string, value: number) => `${name}_bucket{${labels}${comma}le="${bound}"} ${value}`;
  return [
    ...bounds.map((bound, index) => bucket(String(bound), counts[index] ?? 0)),
    bucket("+Inf", count),
    `${name}_sum${braces(labels)} ${sum}`,
    `${name}_count${braces(labels)} ${count}`,
  ];
}

function braces(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}

function labelText(labels: Labels): string {
  let text = "";
  for (const name in labels) text += `${text === "" ? "" : ","}${name}="${escapeLabel(labels[name] ?? "")}"`;
  return text;
}

function escapeLabel(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

interface ServerMetrics {
  /** Counts the request once its connection or its answer is done. */
  watch(raw: ServerResponse, method: string, route: string | undefined): void;
  readonly meter: StreamMeter;
}

interface Watched {
  readonly live: LiveRequests;
  /** How long a stream's reader may take nothing at all. */
  readonly stuckMs: number;
}

/** The server's own metrics. Routes are labelled by pattern, so clients cannot create label values. */
export function createServerMetrics(metrics: Metrics, { live, stuckMs }: Watched): ServerMetrics {
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
