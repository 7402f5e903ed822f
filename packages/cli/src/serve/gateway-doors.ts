import { randomUUID } from "node:crypto";
import {
  anthropicDoor,
  createCompactionSeal,
  createMemoryItemStore,
  mcpDoor,
  modelsDoor,
  nativeDoor,
  openaiDoor,
  pageDoor,
  responsesDoor,
  type ServerOptions,
  type SignInLinks,
  type TurnMetrics,
  type UserSettings,
} from "@caret/gateway";
import type { FleetView } from "@caret/protocol";
import {
  type AboutView,
  type Caller,
  type DirectoryModel,
  type ModelView,
  priceUpdates,
  type Sessions,
  seesMachine,
} from "@caret/protocol";
import type { RuntimeModels, TokenShelf } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { toFindingView } from "../doctor/finding.ts";
import type { OpenedEngine } from "../engine/compose.ts";
import { gatewayUrl } from "../gateway/gateway-url.ts";
import type { Host } from "../host/host.ts";
import { version } from "../host/program.ts";
import { laneStates } from "../ports/gateway-lanes.ts";
import { DEFAULT_PERMISSION, type GatewayPorts } from "../ports/gateway-ports.ts";
import { gatewayTokens } from "../tokens/gateway-tokens.ts";
import { allowableDirectory, allowDirectory } from "../workspaces/allowed-directories.ts";
import { makeSampleProject } from "../workspaces/sample-project.ts";
import { isOwnDirectory } from "../workspaces/workspace-access.ts";
import { compactionKey } from "./compaction-key.ts";
import { openPage, pageDirectory } from "./page-files.ts";
import { redactedArchive } from "./redacted-archive.ts";

const RECENT_SESSIONS = 50;

const KEEP_ALIVE_MS = 15_000;

interface GatewayDoorsOptions {
  readonly host: Host;
  readonly config: Config;
  /** The configuration's sources. Omitted if the program that embeds the gateway supplied it. */
  readonly loaded?: LoadedConfig | undefined;
  /** The files the configuration was read from. */
  readonly configFiles: readonly string[];
  readonly opened: OpenedEngine;
  readonly ports: GatewayPorts;
  readonly models: RuntimeModels;
  readonly turnMetrics: TurnMetrics;
  readonly links: SignInLinks;
  /** The fleet the gateway belongs to. */
  readonly fleet?: (() => Promise<FleetView>) | undefined;
  /** Where tokens created on the page are kept. Default: in the data directory. */
  readonly tokens?: TokenShelf | undefined;
  readonly defaultWorkspace: string | undefined;
}

/** Every protocol the gateway serves. */
export function gatewayDoors(options: GatewayDoorsOptions): ServerOptions["doors"] {
  const { config, opened, ports, models, turnMetrics } = options;
  const showActivity = config.server.activity;
  const door = {
    now: Date.now,
    keepAliveMs: KEEP_ALIVE_MS,
    conversations: turnMetrics.countOpened(ports.conversations),
    newId: randomUUID,
    showActivity,
  };
  return [
    openaiDoor(door),
    responsesDoor({
      ...door,
      items: createMemoryItemStore({ archive: redactedArchive(ports.answers, opened.redactor) }),
      seal: createCompactionSeal(() => compactionKey(config)),
    }),
    anthropicDoor(door),
    modelsDoor({ models }),
    gatewayNativeDoor(options),
    mcpDoor({ sessions: ports.sessions, comparisons: ports.comparisons, version, keepAliveMs: KEEP_ALIVE_MS }),
    pageDoor(openPage(pageDirectory)),
  ];
}

/** The native door alone, for a stand-alone `caret acp`: its client is in the same process. */
export function gatewayNativeDoor(options: Omit<GatewayDoorsOptions, "turnMetrics">): ServerOptions["doors"][number] {
  const { host, config, ports, models, links } = options;
  const places = { dataDir: config.dataDir, home: host.home };
  const allow = (path: string) => allowDirectory(path, places);
  const allowForNow = async (path: string): Promise<string> => {
    const directory = allowableDirectory(path, places);
    options.opened.allowedWorkspaces.allowForNow(directory);
    return directory;
  };
  return nativeDoor({
    now: Date.now,
    keepAliveMs: KEEP_ALIVE_MS,
    sessions: ports.sessions,
    agents: ports.agents,
    comparisons: ports.comparisons,
    about: (caller) => gatewayAbout({ ...options, sessions: ports.sessions }, caller),
    models: async ({ refresh }) => (await (refresh ? models.refresh() : models.list())).map(toModelView),
    doctor: joined(() => examine(options)),
    fleet: options.fleet,
    tokens: gatewayTokens({ place: options.tokens ?? config.dataDir, others: [config.dataDir], now: Date.now }),
    workspaces: { allow, allowForNow, sample: async () => allow(await makeSampleProject(config.dataDir)) },
    settings: settingsOf(options),
    links,
  });
}

/** Loaded on demand, together with the editor of its file. The running values are known from the start. */
function settingsOf({
  host,
  loaded,
  opened,
}: Pick<GatewayDoorsOptions, "host" | "loaded" | "opened">): UserSettings | undefined {
  if (loaded === undefined) return undefined;
  let settings: Promise<UserSettings> | undefined;
  const open = (): Promise<UserSettings> => {
    settings ??= import("../settings/user-settings.ts").then(({ createUserSettings }) =>
      createUserSettings({ loaded, onChange: opened.applySettings, gatewayUrl: () => gatewayUrl(host, loaded.config) }),
    );
    return settings;
  };
  return {
    read: async () => (await open()).read(),
    change: async (wanted) => (await open()).change(wanted),
    testWebhook: async () => (await open()).testWebhook(),
  };
}

/** Loaded on demand: the doctor reads every client's files, with the parsers of all their formats. */
async function examine({
  host,
  config,
  configFiles,
}: Pick<GatewayDoorsOptions, "host" | "config" | "configFiles">): Promise<ReturnType<typeof toFindingView>[]> {
  const { examineMachine } = await import("../doctor/examine-machine.ts");
  return (await examineMachine(host, config, configFiles)).map(toFindingView);
}

function toModelView({ id, name, isDefault, variants = [], contextTokens, maxMode }: DirectoryModel): ModelView {
  return {
    id,
    name,
    isDefault,
    variants: variants.map((variant) => ({ id: variant.id, label: variant.name })),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxMode === true && { maxMode }),
  };
}

/** Lets concurrent callers share one run: two agents starting at the same moment have been seen to kill each other. */
function joined<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let running: Promise<Answer> | undefined;
  return () => {
    running ??= ask().finally(() => {
      running = undefined;
    });
    return running;
  };
}

interface AboutOptions extends Pick<GatewayDoorsOptions, "fleet"> {
  readonly opened: OpenedEngine;
  readonly config: Config;
  readonly sessions: Sessions;
  readonly defaultWorkspace: string | undefined;
}

/** What the page needs before it renders anything. */
async function gatewayAbout(options: AboutOptions, caller: Caller): Promise<AboutView> {
  const { opened, config } = options;
  const defaultWorkspace = caller.workspace ?? options.defaultWorkspace;
  const prices = priceUpdates();
  const lanes = await laneStates(opened);
  const seesAllOfIt = seesMachine(caller);
  return {
    version,
    tokenName: caller.tokenName,
    ...(caller.user === undefined ? {} : { user: caller.user }),
    ...(caller.seesAll === true ? { seesAll: true } : {}),
    lanes: seesAllOfIt ? lanes : lanes.map(({ detail: _, ...lane }) => lane),
    defaultLane: opened.lane,
    defaultModel: config.model,
    defaultPermission: DEFAULT_PERMISSION,
    ...(defaultWorkspace === undefined ? {} : { defaultWorkspace }),
    workspaces: caller.workspace === undefined ? await knownWorkspaces(options, caller) : [caller.workspace],
    sandbox: sandboxWords(opened, seesAllOfIt),
    ...(prices.length === 0 ? {} : { prices }),
    ...(options.fleet === undefined ? {} : { fleet: true }),
    ...(config.page.editor === "none" ? {} : { editor: config.page.editor }),
  };
}

/** Allowed workspaces and those of recent sessions, without Caret's own directories. */
async function knownWorkspaces({ opened, config, sessions }: AboutOptions, caller: Caller): Promise<readonly string[]> {
  const { sessions: recent } = await sessions.list({ limit: RECENT_SESSIONS }, caller);
  const known = [...opened.allowedWorkspaces.directories(), ...recent.map(({ workspace }) => workspace)];
  return [...new Set(known)].filter((workspace) => !isOwnDirectory(config, workspace));
}

function sandboxWords({ containment }: OpenedEngine, isWhole: boolean): string {
  if (containment.kind === "bubblewrap") return "Contained by bubblewrap: no process of a turn outlives it";
  if (!isWhole) return "Not contained";
  return `Not contained: ${containment.why}`;
}
