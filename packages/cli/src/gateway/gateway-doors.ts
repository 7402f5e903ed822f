import { randomUUID } from "node:crypto";
import {
  anthropicDoor,
  createMemoryItemStore,
  type Metrics,
  meterDesk,
  modelsDoor,
  nativeDoor,
  openaiDoor,
  pageDoor,
  responsesDoor,
  type ServerOptions,
  type SignInLinks,
} from "@caret/gateway";
import type { ModelView } from "@caret/protocol";
import type { DirectoryModel, ModelDirectory } from "@caret/runtime";
import type { OpenedEngine } from "../compose.ts";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";
import { allowDirectory } from "../workspaces/allowed-directories.ts";
import { makeSampleProject } from "../workspaces/sample-project.ts";
import { examineMachine } from "./examine-machine.ts";
import { gatewayAbout } from "./gateway-about.ts";
import type { GatewayDesks } from "./gateway-desks.ts";
import { gatewayTokens } from "./gateway-tokens.ts";
import { pageDirectory, readPageFiles } from "./page-files.ts";
import { redactedArchive } from "./redacted-archive.ts";

const KEEP_ALIVE_MS = 15_000;

export interface GatewayDoorsOptions {
  readonly host: Host;
  readonly config: Config;
  /** The files that the configuration was read from. */
  readonly configFiles: readonly string[];
  readonly opened: OpenedEngine;
  readonly desks: GatewayDesks;
  readonly models: ModelDirectory;
  readonly metrics: Metrics;
  readonly links: SignInLinks;
  readonly defaultWorkspace: string | undefined;
}

/** Every protocol that the gateway serves. */
export function gatewayDoors(options: GatewayDoorsOptions): ServerOptions["doors"] {
  const { host, config, configFiles, opened, desks, models, metrics, links } = options;
  const common = { now: Date.now, keepAliveMs: KEEP_ALIVE_MS };
  const showActivity = config.server.activity;
  const door = { ...common, desk: meterDesk(desks.turns, metrics), newId: randomUUID, showActivity };
  return [
    openaiDoor(door),
    responsesDoor({
      ...door,
      items: createMemoryItemStore({ archive: redactedArchive(desks.answers, opened.redactor) }),
    }),
    anthropicDoor(door),
    modelsDoor({ models }),
    nativeDoor({
      ...common,
      desk: desks.sessions,
      about: (caller) => gatewayAbout({ ...options, desk: desks.sessions }, caller),
      models: async ({ refresh }) => (await (refresh ? models.refresh() : models.list())).map(toModelView),
      doctor: joined(() => examineMachine(host, config, configFiles)),
      tokens: gatewayTokens({ dataDir: config.dataDir, now: Date.now }),
      workspaces: {
        allow: (path) => allowDirectory(path, { dataDir: config.dataDir, home: host.home }),
        sample: async () =>
          allowDirectory(await makeSampleProject(config.dataDir), { dataDir: config.dataDir, home: host.home }),
      },
      links,
    }),
    pageDoor({ files: readPageFiles(pageDirectory) }),
  ];
}

function toModelView({ id, name, isDefault, variants = [] }: DirectoryModel): ModelView {
  return { id, name, isDefault, variants: variants.map((variant) => ({ id: variant.id, label: variant.name })) };
}

/** Whoever asks while it is under way gets the same answer: two agents that start at once have been seen to end each other. */
function joined<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let running: Promise<Answer> | undefined;
  return () => {
    running ??= ask().finally(() => {
      running = undefined;
    });
    return running;
  };
}
