import { fileTools } from "./file-tools.ts";
import type { PluginTool } from "./open-code.ts";
import { shellTool } from "./shell-tool.ts";

export type ToolChoice = "missing" | "all" | "none";

const tools: Readonly<Record<string, PluginTool>> = { bash: shellTool, ...fileTools };

/** Other names by which models call them. */
const aliases: Readonly<Record<string, string>> = {
  shell: "bash",
  run_command: "bash",
  execute_command: "bash",
  list_directory: "ls",
  create_directory: "mkdir",
  delete_file: "rm",
};

/** OpenCode has better ones of these: with its own permissions, diffs and language servers. */
const ownOfOpenCode: ReadonlySet<string> = new Set(["bash", "read", "write", "edit", "grep", "glob"]);

export function toolHooks(choice: ToolChoice = "missing"): Readonly<Record<string, PluginTool>> {
  if (choice === "none") return {};
  const named = Object.entries(aliases).map(([alias, name]) => [alias, tools[name] as PluginTool] as const);
  const all = [...Object.entries(tools), ...named];
  return Object.fromEntries(choice === "all" ? all : all.filter(([name]) => !ownOfOpenCode.has(name)));
}
