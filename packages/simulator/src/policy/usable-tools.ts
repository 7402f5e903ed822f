import { type NativeToolName, nativeToolNames } from "../model/model.ts";
import type { Policy } from "./load-policy.ts";
import type { Action } from "./permission-rule.ts";

/** Stands for "anything at all": a tool whose probe is denied is denied wholesale. */
const probe = "\u0000anything";

const probes: Partial<Record<NativeToolName, Action>> = {
  shell: { kind: "Shell", command: probe },
  read: { kind: "Read", path: `/${probe}` },
  grep: { kind: "Read", path: `/${probe}` },
  glob: { kind: "Read", path: `/${probe}` },
  ls: { kind: "Read", path: `/${probe}` },
  edit: { kind: "Write", path: `/${probe}` },
  write: { kind: "Write", path: `/${probe}` },
  delete: { kind: "Write", path: `/${probe}` },
  webFetch: { kind: "WebFetch", domain: probe },
};

/**
 * The native tools the model should think of: not excluded by `--exclude-tools`, not denied wholesale. A tool denied
 * only by a hook stays in the list, and the model learns of it by being refused.
 */
export function usableTools(policy: Policy, excludedKeys: readonly string[] = []): readonly NativeToolName[] {
  return nativeToolNames.filter((name) => {
    if (excludedKeys.includes(`${name}ToolCall`)) return false;
    if (name === "createPlan") return policy.mode === "plan";
    const action = probes[name];
    return action === undefined || policy.decide(action).kind !== "denied";
  });
}
