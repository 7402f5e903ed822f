import type { MachineSandboxes } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { Finding } from "./finding.ts";

/** Checks sandbox support; without a sandbox setting, a lack of it is only a warning. */
export async function checkSandbox(sandboxes: MachineSandboxes, { sandbox }: Config): Promise<Finding> {
  const check = "sandbox";
  const found = await sandboxes.state();
  if (found.kind === "none") {
    const state = sandbox.mode === "off" ? "warn" : "fail";
    return { check, state, detail: found.why, fix: found.fix };
  }
  const userns = found.disableUserns ? "" : ", too old to forbid user namespaces by itself (the seccomp filter does)";
  const detail = `${found.file}${userns}; turns run with sandbox.mode ${sandbox.mode} or stricter`;
  return { check, state: "ok", detail };
}
