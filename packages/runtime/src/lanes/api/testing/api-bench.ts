import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, assertWellFormedTurn, Secret } from "@caret/protocol";
import type { ApiCredentials } from "../../../credentials/credentials.ts";
import { createTurnActs } from "../../../log/turn-acts.ts";
import type { Lane, LaneEntry, LaneRequest } from "../../lane.ts";
import { type ApiHost, defaultRetries, type RetrySettings } from "../api-host.ts";
import { createApiLane } from "../api-lane.ts";
import { openConversationStore } from "../conversation-store.ts";
import { createUpstreamLinks } from "../transport/upstream-link.ts";

/** A lane that talks to an upstream on this machine, with a token that never expires. */
export interface ApiBench {
  readonly directory: string;
  host(url: URL, more?: Partial<ApiHost>): ApiHost;
  lane(url: URL, more?: Partial<ApiHost>): Lane;
  request(more?: Partial<LaneRequest>): LaneRequest;
  close(): Promise<void>;
}

/** Fast enough for a test that needs several attempts. */
export const quickRetries: RetrySettings = { ...defaultRetries, firstDelayMs: 1, longestDelayMs: 5 };

const staticCredentials: ApiCredentials = {
  madeFrom: async () => "key",
  accessToken: async () => ({ secret: new Secret("token-1"), madeFrom: "key" }),
  replaceRejected: async () => ({ secret: new Secret("token-2"), madeFrom: "key" }),
};

export function createApiBench(): ApiBench {
  const directory = mkdtempSync(join(tmpdir(), "caret-api-"));
  const lanes: Lane[] = [];
  let ids = 0;
  const bench: ApiBench = {
    directory,
    host: (url, more = {}) => ({
      endpoints: () => ({ control: url, agent: url }),
      httpVersion: "2",
      links: createUpstreamLinks({ ca: undefined }),
      credentials: () => staticCredentials,
      conversations: openConversationStore({ directory }),
      cliConfigDir: join(directory, "no-cursor"),
      programs: () => ({ profiles: [], fallbackModels: [] }),
      machine: { os: "linux 6.1", shell: "/bin/sh", timeZone: "UTC" },
      clocks: { firstEventMs: 10_000, idleMs: 10_000, toolMs: 10_000, turnMs: 20_000, graceMs: 500 },
      retries: quickRetries,
      maxMessageBytes: 16 * 1024 * 1024,
      noteSecrets: () => undefined,
      newId() {
        ids += 1;
        return `id-${ids}`;
      },
      monotonic: () => performance.now(),
      wallClock: Date.now,
      ...more,
    }),
    lane(url, more) {
      const lane = createApiLane(bench.host(url, more));
      lanes.push(lane);
      return lane;
    },
    request: (more = {}) => ({
      turnId: "turn-1",
      prompt: "Hello",
      workspace: directory,
      model: "auto",
      mode: "agent",
      force: false,
      upstream: undefined,
      previousTurnId: undefined,
      acts: createTurnActs(),
      loadHistory: async () => [],
      offered: undefined,
      ...more,
    }),
    async close() {
      for (const lane of lanes) await lane.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return bench;
}

/** The events of a turn, checked to be well formed. */
export async function collectTurn(batches: AsyncIterable<readonly LaneEntry[]>): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const batch of batches) events.push(...batch.map(({ event }) => event));
  assertWellFormedTurn([{ type: "turn-start", turnId: "turn-1", lane: "api" }, ...events]);
  return events;
}

/** A turn in a few words: what was said, the kinds of notices, how it ended. */
export function storyOf(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "notice") return [event.kind];
    if (event.type === "text-delta") return [event.text];
    if (event.type !== "turn-end") return [];
    return [event.outcome.kind === "failed" ? event.outcome.error.code : event.outcome.kind];
  });
}

export const unstopped = (): AbortSignal => new AbortController().signal;
