import { CaretError, type OfferedServer, Secret } from "@caret/protocol";
import { within } from "../async/within.ts";
import { containingSpawner } from "../process/containment.ts";
import { secretsAmong } from "../redaction/setting-secrets.ts";
import type { McpServerConfig } from "../tools/mcp/mcp-server-config.ts";
import type { McpTools } from "../tools/mcp/mcp-tools.ts";
import type { MoreTools } from "../turns/tools/toolbox.ts";
import type { SessionsOptions } from "./sessions-context.ts";

/** A turn does not wait longer than this for servers that are slow to start; they join the turns that follow. */
const READY_MS = 15_000;
/** A client that died takes no offer back: servers without a turn for so long are ended, and started again when one needs them. */
const IDLE_MS = 600_000;

interface Session {
  readonly id: string;
  readonly workspace: string;
}

/** The MCP servers that clients have offered to their sessions. In memory: an offer is gone with its gateway. */
export interface SessionServers {
  /** In place of those that were offered before, which are ended. */
  offer(sessionId: string, servers: readonly OfferedServer[]): void;
  namesOf(sessionId: string): readonly string[];
  /** Undefined when none is offered. */
  opener(session: Session): (() => Promise<MoreTools>) | undefined;
  /** A turn of the session is over: its servers are ended unless another needs them soon. */
  rest(sessionId: string): void;
  close(): Promise<void>;
}

interface Offer {
  readonly servers: readonly OfferedServer[];
  started?: Promise<McpTools> | undefined;
  idle?: NodeJS.Timeout;
}

export function createSessionServers(options: SessionsOptions): SessionServers {
  const offers = new Map<string, Offer>();
  const { spawner, containment, env, onError = () => undefined, noteSecrets = () => undefined } = options;
  const containing = containment === undefined ? spawner : containingSpawner(spawner, containment);

  const end = async (offer: Offer | undefined): Promise<void> => {
    clearTimeout(offer?.idle);
    const started = offer?.started;
    if (offer !== undefined) offer.started = undefined;
    await (await started)?.close();
  };
  const endQuietly = (offer: Offer | undefined): void =>
    void end(offer).catch((reason: unknown) => onError(CaretError.from(reason)));

  const start = async (offer: Offer, workspace: string): Promise<McpTools> => {
    // Not before a turn needs it: most of what there is to load for it is the client of a protocol.
    const { createMcpTools } = await import("../tools/mcp/mcp-tools.ts");
    return createMcpTools({
      servers: offer.servers.map((server) => toConfig(server, workspace)),
      spawner: containing,
      env,
    });
  };

  const open = async (offer: Offer, workspace: string): Promise<MoreTools> => {
    clearTimeout(offer.idle);
    offer.started ??= start(offer, workspace);
    const tools = await offer.started;
    const tried = tools.ready();
    if (!(await within(tried, READY_MS)))
      return { source: tools, problems: ["The MCP servers of the client have not all listed their tools yet"] };
    const failed = (await tried).filter(({ problem }) => problem !== undefined);
    return {
      source: tools,
      problems: [
        ...failed.map(
          ({ server, problem }) =>
            `The client's MCP server ${server} offers no tools: ${CaretError.from(problem).message}`,
        ),
        ...tools.leftOut(),
      ],
    };
  };

  return {
    offer(sessionId, servers) {
      endQuietly(offers.get(sessionId));
      for (const server of servers)
        noteSecrets(secretsAmong("command" in server ? (server.env ?? {}) : (server.headers ?? {})));
      if (servers.length === 0) offers.delete(sessionId);
      else offers.set(sessionId, { servers });
    },
    namesOf: (sessionId) => offers.get(sessionId)?.servers.map(({ name }) => name) ?? [],
    opener({ id, workspace }) {
      const offer = offers.get(id);
      return offer && (() => open(offer, workspace));
    },
    rest(sessionId) {
      const offer = offers.get(sessionId);
      if (offer === undefined) return;
      clearTimeout(offer.idle);
      offer.idle = setTimeout(endQuietly, IDLE_MS, offer).unref();
    },
    async close() {
      const ended = [...offers.values()];
      offers.clear();
      await Promise.all(ended.map((offer) => end(offer)));
    },
  };
}

function toConfig(server: OfferedServer, cwd: string): McpServerConfig {
  const { name } = server;
  if ("url" in server) return { name, transport: "http", url: server.url, headers: asSecrets(server.headers ?? {}) };
  const { command, args = [] } = server;
  return { name, transport: "stdio", command, args, env: asSecrets(server.env ?? {}), cwd };
}

function asSecrets(values: Readonly<Record<string, string>>): Record<string, Secret> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, new Secret(value)]));
}
