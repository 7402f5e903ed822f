import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hasChat } from "../chat/find-chat.ts";
import { loadCliConfig } from "../config/cli-config.ts";
import { toPhysicalPath } from "../config/config-dir.ts";
import { readLoginState } from "../config/credentials.ts";
import { resolveModel } from "../config/model-catalogue.ts";
import type { Simulation } from "../config/simulation.ts";
import { readJsonFile } from "../json/json.ts";
import type { ByteWriter } from "../process/byte-writer.ts";
import type { HasQuirk } from "../scenario/acp-quirks.ts";
import { type AcpModel, toAcpModels } from "./acp-models.ts";
import {
  type AcpMode,
  type AcpSession,
  acpChatsDir,
  acpModes,
  configOptions,
  describeSession,
  type ModelChoice,
  openAcpChat,
} from "./acp-session.ts";
import { commandsUpdate, promptText, runAcpTurn } from "./acp-turn.ts";
import { givenServers } from "./given-servers.ts";
import { replayChat } from "./replay-chat.ts";
import { createRpcPeer, type Params, RpcError, type RpcPeer } from "./rpc-peer.ts";

export interface AcpServerOptions {
  readonly simulation: Simulation;
  readonly writer: ByteWriter;
  readonly has: HasQuirk;
  /** Flags that stand before `acp`. */
  readonly model: string | undefined;
  readonly force: boolean;
  readonly usesKey: boolean;
}

const initialized = {
  protocolVersion: 1,
  agentCapabilities: {
    loadSession: true,
    mcpCapabilities: { http: true, sse: true },
    promptCapabilities: { audio: false, embeddedContext: false, image: true },
    sessionCapabilities: { list: {} },
  },
  authMethods: [
    {
      id: "cursor_login",
      name: "Cursor Login",
      description: "Authenticate using existing Cursor login credentials. Run 'agent login' first if not logged in.",
    },
  ],
};

/** Answers the methods of `agent acp` for any number of sessions. */
export class AcpServer {
  readonly peer: RpcPeer;
  readonly #options: AcpServerOptions;
  readonly #models: readonly AcpModel[];
  readonly #sessions = new Map<string, AcpSession>();
  /** What the whole process uses, as long as no session has a choice of its own. */
  readonly #choice: ModelChoice;
  #isAuthenticated = false;

  constructor(options: AcpServerOptions) {
    const { simulation, writer, has } = options;
    this.#options = options;
    this.#models = toAcpModels(simulation.models);
    const wanted = options.model ?? loadCliConfig(simulation.configDir).modelId;
    const { id } = resolveModel(wanted, simulation.models);
    this.#choice = { current: this.#models.find(({ model }) => model.id === id) as AcpModel };
    this.peer = createRpcPeer({
      write: (line) => {
        writer.write(line);
        writer.flush();
      },
      firstId: has("ids-from-zero") ? 0 : 1,
      answer: (method, params) => this.#answer(method, params),
      notified: (method, params) => this.#notified(method, params),
    });
  }

  #answer(method: string, params: Params): Promise<unknown> {
    this.#options.simulation.log({ event: "acp-request", method, params });
    const handler = this.#methods[method];
    if (handler === undefined) throw new RpcError(-32_601, `"Method not found": ${method}`);
    return Promise.resolve(handler(params));
  }

  #notified(method: string, params: Params): void {
    this.#options.simulation.log({ event: "acp-notification", method, params });
    if (method === "session/cancel") this.#sessions.get(String(params["sessionId"]))?.live?.end("cancelled");
  }

  readonly #methods: Readonly<Record<string, (params: Params) => unknown>> = {
    initialize: () => initialized,
    authenticate: ({ methodId }) => this.#authenticate(methodId),
    "session/new": (params) => this.#create(params),
    "session/load": (params) => this.#load(params),
    "session/list": () => ({ sessions: this.#list() }),
    "session/prompt": (params) => this.#prompt(params),
    "session/set_mode": (params) => this.#setMode(this.#find(params), params["modeId"]),
    "session/set_model": (params) => this.#setModel(this.#find(params), params["modelId"]),
    "session/set_config_option": (params) => this.#setOption(params),
    "cursor/list_available_models": () => ({
      models: this.#models.map(({ modelId: value, name }) => ({ value, name, configOptions: [] })),
    }),
  };

  #authenticate(methodId: unknown): object {
    const { simulation, usesKey } = this.#options;
    if (methodId !== "cursor_login" || usesKey) throw new RpcError(-32_602, "Invalid params");
    if (readLoginState({ env: simulation.host.env, configDir: simulation.configDir }) !== "in")
      throw new RpcError(-32_000, "Authentication required");
    this.#isAuthenticated = true;
    return {};
  }

  async #requireAccess(): Promise<void> {
    const { simulation, usesKey, has } = this.#options;
    if (usesKey || this.#isAuthenticated) return;
    if (readLoginState({ env: simulation.host.env, configDir: simulation.configDir }) !== "in")
      throw new RpcError(-32_000, "Authentication required");
    // Not a word, and no end.
    if (has("authenticate-first")) await new Promise(() => undefined);
  }

  async #create(params: Params): Promise<object> {
    await this.#requireAccess();
    const session = this.#open(this.#options.simulation.ids.uuid(), params);
    openAcpChat(this.#options.simulation, session).close();
    if (!this.#options.has("late-commands"))
      setImmediate(() => this.peer.notify("session/update", { sessionId: session.id, update: commandsUpdate }));
    return { sessionId: session.id, ...describeSession(session, this.#models) };
  }

  async #load(params: Params): Promise<object> {
    await this.#requireAccess();
    const { simulation } = this.#options;
    const id = String(params["sessionId"]);
    if (!hasChat(acpChatsDir(simulation.configDir), id)) throw new RpcError(-32_602, `Session "${id}" not found`);
    const session = this.#open(id, params);
    const chat = openAcpChat(simulation, session);
    for (const update of replayChat(chat.history)) this.peer.notify("session/update", { sessionId: id, update });
    chat.close();
    return describeSession(session, this.#models);
  }

  #open(id: string, params: Params): AcpSession {
    const { has } = this.#options;
    const choice = has("model-per-process") ? this.#choice : { current: this.#choice.current };
    const session: AcpSession = {
      id,
      cwd: toPhysicalPath(String(params["cwd"])),
      choice,
      servers: givenServers(params["mcpServers"], has),
      mode: "agent",
      allowed: new Set(),
    };
    // A session that is loaded again gets new servers; those of before are ended.
    void this.#sessions.get(id)?.hub?.then((hub) => hub.close());
    this.#sessions.set(id, session);
    return session;
  }

  #list(): readonly object[] {
    const directory = acpChatsDir(this.#options.simulation.configDir);
    if (!existsSync(directory)) return [];
    return readdirSync(directory).map((sessionId) => {
      const meta = readJsonFile(join(directory, sessionId, "meta.json"));
      return { sessionId, cwd: meta?.["cwd"] ?? "" };
    });
  }

  async #prompt(params: Params): Promise<object> {
    const { simulation, writer, has, force, usesKey } = this.#options;
    const session = this.#find(params);
    if (session.live !== undefined) {
      if (!has("prompt-cancels-prompt")) throw new RpcError(-32_600, "A prompt is running");
      session.live.end("cancelled");
      await session.live.ended;
    }
    const apiKeySource = usesKey ? "env" : "login";
    const turn = { simulation, session, peer: this.peer, writer, has, force, apiKeySource } as const;
    return { stopReason: await runAcpTurn(turn, promptText(params["prompt"])) };
  }

  #setMode(session: AcpSession, wanted: unknown): object {
    const mode = acpModes.find((known) => known === wanted);
    if (mode === undefined) throw new RpcError(-32_602, `Unknown mode: ${String(wanted)}`);
    session.mode = mode satisfies AcpMode;
    const update = { sessionUpdate: "current_mode_update", currentModeId: mode };
    this.peer.notify("session/update", { sessionId: session.id, update });
    return {};
  }

  #setModel(session: AcpSession, wanted: unknown): object {
    const found = this.#models.find(({ modelId }) => modelId === wanted);
    if (found === undefined) throw new RpcError(-32_602, `Invalid model value: ${String(wanted)}`);
    session.choice.current = found;
    return {};
  }

  #setOption(params: Params): object {
    const session = this.#find(params);
    const { configId, value } = params;
    if (configId === undefined) {
      const issue = { code: "invalid_type", expected: "string", received: "undefined", path: ["configId"] };
      throw new RpcError(-32_603, JSON.stringify([issue]));
    }
    if (configId === "mode") this.#setMode(session, value);
    else if (configId === "model") this.#setModel(session, value);
    else throw new RpcError(-32_602, `Unknown config option: ${String(configId)}`);
    return { configOptions: configOptions(session, this.#models) };
  }

  #find(params: Params): AcpSession {
    const id = String(params["sessionId"]);
    const session = this.#sessions.get(id);
    if (session === undefined) throw new RpcError(-32_602, `Session "${id}" not found`);
    return session;
  }
}
