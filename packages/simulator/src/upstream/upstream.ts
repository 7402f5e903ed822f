import { connectNodeAdapter } from "@connectrpc/connect-node";
import { builtInModels } from "../config/model-catalogue.ts";
import { createIds } from "../process/ids.ts";
import { type Scenario, type ScenarioInput, scenarioSchema } from "../scenario/scenario.ts";
import { type UpstreamBehaviour, upstreamSchema } from "../scenario/wire-shapes.ts";
import { createApiKeys } from "./account/api-keys.ts";
import { createLogins } from "./account/logins.ts";
import { createTokens } from "./account/tokens.ts";
import { createConnections } from "./net/connections.ts";
import { listenOnOnePort, type UpstreamResponse } from "./net/listen-on-one-port.ts";
import { answerUnknown, createRouter } from "./route-request.ts";
import { AppendedRuns } from "./run/appended-runs.ts";
import { RunAttempts } from "./run/run-attempts.ts";
import { addUnaryCalls } from "./unary-calls.ts";

export interface UpstreamOptions {
  /** What the upstream does instead of thinking for itself; without it, a rule-based mind answers. */
  readonly scenario?: ScenarioInput | Scenario;
  /** Any text; makes ids repeat. */
  readonly seed?: string;
  readonly host?: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** A certificate and its key in PEM; without them the port speaks no TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Called with every request and every message that clients send. */
  readonly log?: (record: UpstreamRecord) => void;
  readonly now?: () => number;
}

/** One thing that a client did; `event` says what: `request`, `message`, `exec`, `query`. */
export type UpstreamRecord = Readonly<Record<string, unknown>>;

export interface Upstream {
  readonly port: number;
  /** `http://127.0.0.1:port`: HTTP/1.1, and HTTP/2 for a client that knows beforehand. */
  readonly url: string;
  /** The same port over TLS. */
  readonly secureUrl: string;
  /** Everything that clients did so far, oldest first. */
  readonly records: readonly UpstreamRecord[];
  /** How many runs have a client whose stream is open. */
  readonly openRuns: number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Starts a stand-in for Cursor's servers on a port of this machine. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const { host = "127.0.0.1", now = Date.now } = options;
  const scenario = scenarioSchema.parse(options.scenario ?? {});
  const behaviour: UpstreamBehaviour = scenario.upstream ?? upstreamSchema.parse({});
  const ids = createIds(options.seed);
  const models = scenario.models ?? builtInModels;
  const records: UpstreamRecord[] = [];
  const log = (record: UpstreamRecord) => {
    records.push(record);
    options.log?.(record);
  };
  const tokens = createTokens({ ids, now, tokenSeconds: behaviour.tokenSeconds });
  const keys = createApiKeys(ids, now);
  const appended = new AppendedRuns();
  const connections = createConnections();
  let runs = 0;
  let openRuns = 0;
  const onRequest = createRouter({
    behaviour,
    log,
    appended,
    rest: { tokens, keys, logins: createLogins(tokens), models },
    unary: connectNodeAdapter({
      routes: (router) => addUnaryCalls(router, { models, behaviour, appended, keys }),
      // The library's type of a response differs from Node's in the errors of its writes.
      fallback: (request, response) => answerUnknown(request, response as UpstreamResponse, log),
    }),
    run: {
      scenario,
      ids,
      now,
      ticket: () => runs++,
      onOpen: () => {
        openRuns += 1;
        return () => {
          openRuns -= 1;
        };
      },
      heartbeatMs: behaviour.heartbeatMs,
      attempts: new RunAttempts(),
      connections,
      log,
    },
  });
  const relay = needsRelay(scenario) ? connections.relay : undefined;
  const { port, close } = await listenOnOnePort({
    host,
    port: options.port ?? 0,
    tls: options.tls,
    behaviour,
    relay,
    onRequest,
  });
  return {
    port,
    url: `http://${host}:${port}`,
    secureUrl: `https://${host}:${port}`,
    records,
    get openRuns() {
      return openRuns;
    },
    close,
  };
}

/** Whether a step lays hands on the connection below the HTTP library. */
function needsRelay({ turns }: { readonly turns: readonly { readonly steps: readonly object[] }[] }): boolean {
  const wires = turns.flatMap(({ steps }) => steps.flatMap((step) => ("wire" in step ? [step.wire as object] : [])));
  return wires.some((wire) => "freeze" in wire || "continuation" in wire || "lastStreamId" in wire);
}
