import type { AgentHost } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { explainConfig } from "../config/explain-config.ts";
import type { MergedConfig } from "../config/merge-layers.ts";
import type { Host } from "../host.ts";
import type { GatewayLock } from "../tokens/with-file-lock.ts";

/** What a gateway was started with: each setting as JSON, without its secrets. */
export type GatewaySettings = GatewayLock["settings"];

export function gatewaySettings(loaded: MergedConfig, workspace: string | undefined): GatewaySettings {
  const settings = [...explainConfig(loaded), { key: "workspace", value: workspace }];
  return Object.fromEntries(
    settings.flatMap(({ key, value }) => (value === undefined ? [] : [[key, JSON.stringify(value)]])),
  );
}

interface SettingDifference {
  readonly key: string;
  /** In words, what the gateway does and what is wanted now: `lane is "sim", not "cli"`. */
  readonly told: string;
}

/** What a running gateway does otherwise than one that is started now would. */
export function differencesFrom({ settings, url }: GatewayLock, wanted: GatewaySettings): readonly SettingDifference[] {
  if (Object.keys(settings).length === 0) return [];
  const running: GatewaySettings = { ...settings, ...portOf(url, wanted["server.port"]) };
  const keys = new Set([...Object.keys(running), ...Object.keys(wanted)]);
  return [...keys]
    .filter((key) => running[key] !== wanted[key])
    .map((key) => ({ key, told: `${key} is ${running[key] ?? "not set"}, not ${wanted[key] ?? "unset"}` }));
}

/** A gateway that moved to the next free port is on the port that is asked for, if that is the one. */
function portOf(url: string, wanted: string | undefined): GatewaySettings {
  return wanted !== undefined && new URL(url).port === wanted ? { "server.port": wanted } : {};
}

/** How calls in a program's stream are read: as configured, else as an older bridge for OpenCode was told to. */
export function boundarySettings({ env }: Pick<Host, "env">, { tools }: Pick<Config, "tools">): AgentHost["boundary"] {
  const told = env["CURSOR_ACP_PROVIDER_BOUNDARY"]?.trim().toLowerCase();
  const fallback = env["CURSOR_ACP_PROVIDER_BOUNDARY_AUTOFALLBACK"]?.trim().toLowerCase() ?? "";
  return {
    version: tools.boundary ?? (told === "legacy" ? "legacy" : "v1"),
    autoFallback: tools.boundaryFallback ?? !["false", "0", "off", "no"].includes(fallback),
  };
}
