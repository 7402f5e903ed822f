import { join } from "node:path";
import { isRecord, readJsonFile } from "../json/json.ts";

/** The hook steps that fire in print mode. */
const hookSteps = [
  "sessionStart",
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "beforeReadFile",
  "afterFileEdit",
  "afterAgentThought",
  "beforeShellExecution",
  "preCompact",
  "subagentStart",
  "subagentStop",
  "stop",
  "sessionEnd",
] as const;
export type HookStep = (typeof hookSteps)[number];

export interface HookCommand {
  readonly command: string;
  /** A project's hooks start in the project, a user's in the configuration directory. */
  readonly directory: string;
  /** Tool names the hook cares about, as a regular expression; without it, all. */
  readonly matcher: RegExp | undefined;
  readonly timeoutMs: number;
  /** A hook that crashes or hangs blocks the call instead of letting it pass. */
  readonly failClosed: boolean;
}

export type HookConfig = ReadonlyMap<HookStep, readonly HookCommand[]>;

const DEFAULT_TIMEOUT_MS = 60_000;

/** All hooks of the workspace and of the user, in that order. */
export function readHookConfig(directories: { readonly workspace: string; readonly configDir: string }): HookConfig {
  const files = [
    { path: join(directories.workspace, ".cursor", "hooks.json"), directory: directories.workspace },
    { path: join(directories.configDir, "hooks.json"), directory: directories.configDir },
  ];
  const config = new Map<HookStep, HookCommand[]>();
  for (const { path, directory } of files) {
    const hooks = readJsonFile(path)?.["hooks"];
    if (!isRecord(hooks)) continue;
    for (const step of hookSteps) {
      const commands = toCommands(hooks[step], directory);
      config.set(step, [...(config.get(step) ?? []), ...commands]);
    }
  }
  return config;
}

function toCommands(entries: unknown, directory: string): HookCommand[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry["command"] !== "string") return [];
    const { command, matcher, timeout, failClosed } = entry;
    return [
      {
        command: String(command),
        directory,
        matcher: typeof matcher === "string" && matcher !== "" ? new RegExp(matcher) : undefined,
        timeoutMs: typeof timeout === "number" ? timeout * 1000 : DEFAULT_TIMEOUT_MS,
        failClosed: failClosed === true,
      },
    ];
  });
}
