import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "@caret/protocol";
import { createTurnActs } from "../../../log/turn-acts.ts";
import { createInlineSpawner } from "../../../process/spawner/create-spawner.ts";
import { createWorkbench, testEnv, type Workbench } from "../../../process/testing/workbench.ts";
import type { LaneEntry, LaneRequest } from "../../lane.ts";
import type { AgentHost } from "../agent-host.ts";
import { type AgentHostOptions, createAgentHost } from "../create-agent-host.ts";

/** A CLI that is a shell script, and a host that finds it. */
export interface CliBench {
  readonly workbench: Workbench;
  readonly workspace: string;
  /** Writes the agent. Its directory names a version, so it is not asked for one. */
  agent(script: string): string;
  host(more?: Partial<AgentHostOptions>): AgentHost;
  request(more?: Partial<LaneRequest>): LaneRequest;
  close(): Promise<void>;
}

const benchVersion = "2026.10.01-c0ffee1";

export function createCliBench(): CliBench {
  const workbench = createWorkbench();
  const directory = realpathSync(workbench.directory);
  const workspace = join(directory, "workspace");
  const agentPath = join(directory, benchVersion, "agent");
  mkdirSync(workspace);
  mkdirSync(join(directory, benchVersion));
  writeFileSync(agentPath, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const spawner = createInlineSpawner({});
  const hosts: AgentHost[] = [];
  return {
    workbench,
    workspace,
    agent(script) {
      writeFileSync(agentPath, `#!/bin/sh\n${script}`);
      return agentPath;
    },
    host(more = {}) {
      const host = createAgentHost({
        env: testEnv,
        home: directory,
        platform: process.platform,
        uid: process.getuid?.(),
        spawner,
        containment: { kind: "none", why: "not needed here" },
        programs: { command: agentPath, args: [], promptAsArg: false, models: {} },
        policy: { trust: true, approveMcps: false, sandbox: undefined, maxArgBytes: 100_000 },
        clocks: {
          firstEventMs: 10_000,
          idleMs: 10_000,
          toolMs: 10_000,
          turnMs: 20_000,
          graceMs: 200,
          drainMs: 200,
        },
        maxLineBytes: 1_000_000,
        profiles: {},
        configDir: join(directory, "config"),
        agentEnv: {},
        warm: undefined,
        noteSecrets: () => undefined,
        openBridge: () => Promise.reject(new Error("no bridge is needed here")),
        ...more,
      });
      hosts.push(host);
      return host;
    },
    request: (more = {}) => ({
      turnId: "turn-1",
      prompt: "Hello",
      workspace,
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
      for (const host of hosts) await host.close();
      await spawner.close();
      workbench.remove();
    },
  };
}

export const unstopped = (): AbortSignal => new AbortController().signal;

export async function collectEvents(batches: AsyncIterable<readonly LaneEntry[]>): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const batch of batches) events.push(...batch.map(({ event }) => event));
  return events;
}

/** Shell code that prints a whole answer. */
export const saysHello = `echo '{"type":"system","subtype":"init","session_id":"0d6f0000-0000-4000-8000-000000000001","model":"Auto"}'
echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hello."}]},"timestamp_ms":1}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Hello."}'\n`;
