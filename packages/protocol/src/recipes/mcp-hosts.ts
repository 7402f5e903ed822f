import type { ClientFile, SettingPath, SettingValue } from "./installation.ts";
import { caretWords, type Recipe, type RecipeValues } from "./recipe.ts";

interface McpHost {
  readonly id: string;
  readonly name: string;
  readonly file: ClientFile;
  readonly path: SettingPath;
  readonly entry: (words: readonly string[]) => SettingValue;
  /** Names of the members for the program and its arguments, if not the usual ones. */
  readonly words?: readonly string[];
}

const config = { variable: "XDG_CONFIG_HOME", from: "~/.config" };

/** A server in most hosts' format. */
const usual = ([command = "", ...args]: readonly string[]): SettingValue => ({ command, args });
const typed = (words: readonly string[]): SettingValue => ({ type: "stdio", ...(usual(words) as object) });

const hosts: readonly McpHost[] = [
  {
    id: "mcp-claude-code",
    name: "Claude Code, as an MCP host",
    file: { target: "~/.claude.json", format: "jsonc" },
    path: ["mcpServers", "caret"],
    entry: typed,
  },
  {
    id: "mcp-codex",
    name: "Codex, as an MCP host",
    file: { target: "~/.codex/config.toml", moved: { variable: "CODEX_HOME", from: "~/.codex" }, format: "toml" },
    path: ["mcp_servers", "caret"],
    entry: usual,
  },
  {
    id: "mcp-opencode",
    name: "OpenCode, as an MCP host",
    file: {
      target: "~/.config/opencode/opencode.json",
      others: ["~/.config/opencode/opencode.jsonc"],
      moved: config,
      format: "jsonc",
    },
    path: ["mcp", "caret"],
    entry: (words) => ({ type: "local", command: words, enabled: true }),
    words: ["command"],
  },
  {
    id: "mcp-vscode",
    name: "VS Code, as an MCP host",
    file: {
      target: "~/.config/Code/User/mcp.json",
      moved: config,
      systems: {
        darwin: "~/Library/Application Support/Code/User/mcp.json",
        win32: "~/AppData/Roaming/Code/User/mcp.json",
      },
      format: "jsonc",
    },
    path: ["servers", "caret"],
    entry: typed,
  },
  {
    id: "mcp-cursor",
    name: "Cursor's editor, as an MCP host",
    file: { target: "~/.cursor/mcp.json", format: "jsonc" },
    path: ["mcpServers", "caret"],
    entry: usual,
  },
  {
    id: "mcp-zed",
    name: "Zed, as an MCP host",
    file: { target: "~/.config/zed/settings.json", moved: config, format: "jsonc" },
    path: ["context_servers", "caret"],
    entry: (words) => ({ source: "custom", ...(usual(words) as object) }),
  },
  {
    id: "mcp-qwen-code",
    name: "Qwen Code, as an MCP host",
    file: { target: "~/.qwen/settings.json", format: "jsonc" },
    path: ["mcpServers", "caret"],
    entry: usual,
  },
  {
    id: "mcp-goose",
    name: "Goose, as an MCP host",
    file: { target: "~/.config/goose/config.yaml", moved: config, format: "yaml" },
    path: ["extensions", "caret"],
    entry: ([cmd = "", ...args]) => ({ enabled: true, type: "stdio", name: "caret", cmd, args, timeout: 300 }),
    words: ["cmd", "args"],
  },
];

/** Hosts that start `caret mcp` themselves and hand work to agents: they need no address and no token. */
export function mcpHosts({ machine }: RecipeValues): readonly Recipe[] {
  const words = caretWords(machine, "mcp");
  return hosts.map(({ id, name, file, path, entry, words: members = ["command", "args"] }) => ({
    id,
    name,
    about: "Hands work to agents with Caret's tools.",
    parts: [{ target: file.target, text: shown(file, path, entry(words)) }],
    installation: {
      files: [{ ...file, settings: [{ path, value: entry(words) }] }],
      start: name.replace(/,.*/, ""),
      program: { protocol: "mcp", words: members.map((member) => [...path, member]) },
    },
  }));
}

function shown({ format }: ClientFile, path: SettingPath, value: SettingValue): string {
  const [outer = "", inner = ""] = path.map(String);
  const members = Object.entries(value as object);
  if (format === "toml")
    return [`[${outer}.${inner}]`, ...members.map(([name, member]) => `${name} = ${JSON.stringify(member)}`)].join(
      "\n",
    );
  if (format === "yaml")
    return [
      `${outer}:`,
      `  ${inner}:`,
      ...members.map(([name, member]) => `    ${name}: ${JSON.stringify(member)}`),
    ].join("\n");
  return JSON.stringify({ [outer]: { [inner]: value } }, undefined, 2);
}
