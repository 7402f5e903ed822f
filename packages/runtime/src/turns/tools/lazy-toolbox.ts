import { CaretError } from "@caret/protocol";
import { within } from "../../async/within.ts";
import type { Git } from "../../git/run-git.ts";
import type { Spawner } from "../../process/child-handle.ts";
import { type Containment, containingSpawner } from "../../process/containment.ts";
import type { McpServerConfig } from "../../tools/mcp/mcp-server-config.ts";
import { createOutputStore } from "../../tools/outputs/output-store.ts";
import type { StartedTools } from "../../tools/start-tools.ts";
import type { SearchEngineConfig } from "../../tools/web/search-engine.ts";
import type { GatewayToolbox, MoreTools } from "./toolbox.ts";

/** How long a turn waits for slow MCP servers; late ones join later turns. */
const READY_MS = 5_000;
const NO_ANSWER = "it has not listed any yet";

export interface ToolboxSettings {
  readonly policy: GatewayToolbox["policy"];
  readonly servers: readonly McpServerConfig[];
  readonly search?: SearchEngineConfig | undefined;
  readonly spawner: Spawner;
  /** Contains the processes of tools and tool servers. */
  readonly containment?: Containment | undefined;
  /** The gateway's environment; each tool selects what its child may see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An existing directory for outputs too long to return. */
  readonly outputsDir: string;
}

/** The gateway's tools, started when the first turn needs them. */
export interface LazyToolbox {
  /** The user's own rules, for calls of any tool. */
  readonly rules: GatewayToolbox["policy"]["rules"];
  /** How git is asked about the workspace. */
  readonly git: Git;
  open(openMore?: () => Promise<MoreTools>): Promise<GatewayToolbox>;
  close(): Promise<void>;
}

export function createLazyToolbox(settings: ToolboxSettings): LazyToolbox {
  const { policy, servers, search, spawner, containment, env } = settings;
  const outputs = createOutputStore({ parentDir: settings.outputsDir });
  const containing = containment === undefined ? spawner : containingSpawner(spawner, containment);
  const problems = new Map<string, string>();
  let opened: Promise<StartedTools & { readonly ready: Promise<void> }> | undefined;

  const start = async () => {
    // Loaded on demand: an HTTP client and an MCP client are most of what loads here.
    const { startTools } = await import("../../tools/start-tools.ts");
    const tools = startTools({ servers, search, spawner: containing, env, outputs });
    const ready = tools.mcp.ready().then((tried) => {
      for (const { server, problem } of tried)
        if (problem !== undefined) problems.set(server, CaretError.from(problem).message);
    });
    return { ...tools, ready };
  };

  return {
    rules: policy.rules,
    git: { spawner, env },
    async open(openMore) {
      opened ??= start();
      const [{ registry, registryWith, ready, mcp }, more] = await Promise.all([opened, openMore?.()]);
      await within(ready, READY_MS);
      // A server that was late, or came back, may have its tools by now.
      const missing = servers.filter(({ name }) => !registry.list().some((tool) => tool.name.startsWith(`${name}__`)));
      return {
        registry: more === undefined ? registry : registryWith(more.source),
        policy,
        context: { spawner, containment, env, now: () => performance.now() },
        problems: [
          ...missing.map(({ name }) => `The MCP server ${name} offers no tools: ${problems.get(name) ?? NO_ANSWER}`),
          ...mcp.leftOut(),
          ...(more?.problems ?? []),
        ],
      };
    },
    async close() {
      await (await opened)?.mcp.close();
      await outputs.close();
    },
  };
}
