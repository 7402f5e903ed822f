import type { ChangeSettings, SettingsView } from "../api/settings-view.ts";
import { get, readJson, readNothing } from "./native-calls.ts";
import type { NativeWire, RequestOptions } from "./native-wire.ts";

/** Need the scope `admin`, and a client on the gateway's machine. */
export interface SettingsCalls {
  settings(options?: RequestOptions): Promise<SettingsView>;
  /** Writes to the user's `caret.json`, atomically. Rejects with `invalid-request` if a value is wrong. */
  changeSettings(wanted: ChangeSettings, options?: RequestOptions): Promise<SettingsView>;
  /** Sends a test to the webhook as currently configured. Rejects with the reason on failure. */
  testWebhook(options?: RequestOptions): Promise<void>;
}

export function settingsCalls(wire: NativeWire): SettingsCalls {
  return {
    settings: (options) => get(wire, "settings", {}, options),
    changeSettings: (json, options) =>
      wire.send({ ...options, method: "PATCH", path: "settings", json }, readJson<SettingsView>),
    testWebhook: (options) =>
      wire.send({ ...options, method: "POST", path: "settings/webhook/test", json: {} }, readNothing),
  };
}
