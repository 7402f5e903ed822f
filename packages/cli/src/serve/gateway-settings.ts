import { explainConfig } from "../config/explain-config.ts";
import type { MergedConfig } from "../config/merge-layers.ts";
import type { GatewayLock } from "../gateway/gateway-lock.ts";

/** The settings a gateway was started with, each as JSON, without secrets. */
export type GatewaySettings = GatewayLock["settings"];

export function gatewaySettings(loaded: MergedConfig, workspace: string | undefined): GatewaySettings {
  const settings = [...explainConfig(loaded), { key: "workspace", value: workspace }];
  return Object.fromEntries(
    settings.flatMap(({ key, value }) => (value === undefined ? [] : [[key, JSON.stringify(value)]])),
  );
}

interface SettingDifference {
  readonly key: string;
  /** For example: `lane is "sim", not "cli"`. */
  readonly text: string;
}

/** The settings in which a running gateway differs from one started now. */
export function differencesFrom({ settings, url }: GatewayLock, wanted: GatewaySettings): readonly SettingDifference[] {
  if (Object.keys(settings).length === 0) return [];
  const running: GatewaySettings = { ...settings, ...portOf(url, wanted["server.port"]) };
  const keys = new Set([...Object.keys(running), ...Object.keys(wanted)]);
  return [...keys]
    .filter((key) => running[key] !== wanted[key])
    .map((key) => ({ key, text: `${key} is ${running[key] ?? "not set"}, not ${wanted[key] ?? "unset"}` }));
}

/** A gateway that moved to a free port counts as being on the wanted port if the two are equal. */
function portOf(url: string, wanted: string | undefined): GatewaySettings {
  return wanted !== undefined && new URL(url).port === wanted ? { "server.port": wanted } : {};
}
