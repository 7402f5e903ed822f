import { allowedUrl, createControlFetch, isLoopback, readEndpoints } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";
import { trustedCertificates } from "./trusted-certificates.ts";

const WEBSITE = "https://cursor.com";
const WEBSITE_VARIABLE = "CURSOR_WEBSITE_URL";

/** How to reach the account server. */
export interface ControlAccess {
  readonly controlUrl: URL;
  /** Where a person logs in. */
  readonly website: URL;
  readonly fetch: typeof fetch;
}

/** Throws `invalid-config` if a setting or variable names a host that is neither Cursor's nor this machine. */
export function controlAccess(host: Host, config: Config): ControlAccess {
  const { control } = readEndpoints(host.env, config.api.url);
  const named = host.env[WEBSITE_VARIABLE]?.trim() ?? "";
  const usual = isLoopback(control) ? new URL(control.origin) : new URL(WEBSITE);
  return {
    controlUrl: control,
    website: named === "" ? usual : allowedUrl(named, WEBSITE_VARIABLE),
    fetch: createControlFetch(trustedCertificates(host, config)),
  };
}
