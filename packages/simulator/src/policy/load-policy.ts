import { homedir } from "node:os";
import { join } from "node:path";
import { isRecord, readJsonFile } from "../json/json.ts";
import { type HookConfig, readHookConfig } from "./hook-config.ts";
import { type Action, type PermissionRule, parsePermissionRule } from "./permission-rule.ts";
import { type HookRun, type HookVerdict, runHooks } from "./run-hooks.ts";

export type AgentMode = "agent" | "plan" | "ask";

/** `not-approved` needed a person's yes and nobody was there; `denied` names the rule or mode that forbids it. */
type Decision =
  | { readonly kind: "allowed" }
  | { readonly kind: "not-approved" }
  | { readonly kind: "denied"; readonly by: string; readonly isReadonly: boolean };

export interface PolicyOptions {
  readonly configDir: string;
  readonly workspace: string;
  /** `--force`: whatever is not denied may happen. */
  readonly force: boolean;
  readonly mode: AgentMode;
}

/** What this turn may do: permission rules, the mode, and the hooks that may still say no. */
export interface Policy {
  readonly mode: AgentMode;
  readonly force: boolean;
  readonly decide: (action: Action) => Decision;
  readonly runHooks: (run: HookRun) => Promise<HookVerdict>;
}

/** What the agent's first start writes into its configuration. */
const defaultAllow: readonly string[] = ["Shell(ls)"];

/** Reads the permission and hook files once; a turn does not see later changes, as with the real agent. */
export function loadPolicy({ configDir, workspace, force, mode }: PolicyOptions): Policy {
  const user = readJsonFile(join(configDir, "cli-config.json"));
  const project = readJsonFile(join(workspace, ".cursor", "cli.json"));
  const rules = (list: "allow" | "deny"): PermissionRule[] =>
    [...tokens(user, list, list === "allow" ? defaultAllow : []), ...tokens(project, list, [])].map((token) =>
      parsePermissionRule(token.replace(/\(~\//, `(${homedir()}/`), workspace),
    );
  const table = { allow: rules("allow"), deny: rules("deny") };
  const hooks: HookConfig = readHookConfig({ workspace, configDir });
  const runEverything = force || user?.["approvalMode"] === "unrestricted";
  return {
    mode,
    force: runEverything,
    decide: (action) => decide(action, { ...table, mode, force: runEverything }),
    runHooks: (run) => runHooks(hooks, run),
  };
}

interface Rules {
  readonly allow: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
  readonly mode: AgentMode;
  readonly force: boolean;
}

/** Deny wins over everything, the mode over the rest; what runs unasked without `--force` is reading and editing. */
function decide(action: Action, { allow, deny, mode, force }: Rules): Decision {
  const denying = deny.find((rule) => rule.matches(action));
  if (denying !== undefined) return { kind: "denied", by: denying.token, isReadonly: false };
  if (isForbiddenInMode(action, mode)) return { kind: "denied", by: `${mode} mode`, isReadonly: true };
  if (force || action.kind === "Read" || action.kind === "Write") return { kind: "allowed" };
  return allow.some((rule) => rule.matches(action)) ? { kind: "allowed" } : { kind: "not-approved" };
}

function isForbiddenInMode({ kind }: Action, mode: AgentMode): boolean {
  if (mode === "agent") return false;
  return kind === "Write" || (mode === "plan" && (kind === "Shell" || kind === "Mcp"));
}

function tokens(
  config: Readonly<Record<string, unknown>> | undefined,
  list: "allow" | "deny",
  fallback: readonly string[],
): readonly string[] {
  const permissions = config?.["permissions"];
  const entries = isRecord(permissions) ? permissions[list] : undefined;
  return Array.isArray(entries) ? entries.filter((entry): entry is string => typeof entry === "string") : fallback;
}
