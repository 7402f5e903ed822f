import type { ChangeSettings, SettingsView } from "../api/settings-view.ts";
import { get, readJson, readNothing } from "./native-calls.ts";
import type { NativeWire, RequestOptions } from "./native-wire.ts";

/** Needs the scope `admin`, and a client on the gateway's own machine. */
export interface SettingsCalls {
  settings(options?: RequestOptions): Promise<SettingsView>;
  /** Writes into the user's own `caret.json`, all of it or nothing. Rejects with `invalid-request` where a value is wrong. */
  changeSettings(wanted: ChangeSettings, options?: RequestOptions): Promise<SettingsView>;
  /** Sends a test to the webhook as it is set now. Rejects with what went wrong. */
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
