import type { OpenedEngine } from "@caret/cli/src/engine/compose.ts";
import { startUpstream, type Upstream, type UpstreamOptions, type UpstreamRecord } from "@caret/simulator/upstream";
import type { BenchSettings, TurnBench } from "../turns/turn-bench.ts";

export interface ApiStage {
  readonly upstream: Upstream;
  readonly opened: OpenedEngine;
  /** The paths of the requests so far, with the HTTP version of each. */
  requests(): readonly string[];
  close(): Promise<void>;
}

export interface ApiStageOptions extends UpstreamOptions {
  readonly settings?: BenchSettings;
  readonly env?: Readonly<Record<string, string>>;
  readonly isSecure?: boolean;
}

/** The engine with the API lane, and a simulated upstream for it. */
export async function openApiStage(bench: TurnBench, options: ApiStageOptions = {}): Promise<ApiStage> {
  const { settings = {}, env = {}, isSecure = false, ...rest } = options;
  const upstream = await startUpstream(rest);
  const opened = await bench.open({
    // No process is started on this lane, but for what the gateway's tools run: the one that starts processes is not needed.
    settings: { spawner: { enabled: false }, ...settings, lane: "api" },
    env: {
      CURSOR_AGENT_URL: isSecure ? upstream.secureUrl : upstream.url,
      CURSOR_API_KEY: "key_for_tests",
      ...env,
    },
  });
  return {
    upstream,
    opened,
    requests: () => upstream.records.filter(({ event }) => event === "request").map(toLine),
    async close() {
      await opened.close();
      await upstream.close();
    },
  };
}

function toLine({ path, httpVersion }: UpstreamRecord): string {
  return `${httpVersion} ${String(path).replace(/^.*\//, "")}`;
}
