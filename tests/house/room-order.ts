/**
 * The rooms of each package, from the lowest to the highest: a room imports those that stand before it, types included. A room is the first
 * folder below `src`, or a folder of `lanes`; "." is the files of `src` itself. Decision 69 says why.
 */
export const roomOrder: Readonly<Record<string, readonly string[]>> = {
  protocol: [
    ...["errors", "usage", "json", "language", "text"],
    ...["events", "models", "api", "approvals", "ports", "transcript", "client"],
    ...["recipes", "agent-api", "."],
  ],
  runtime: [
    ...["async", "process", "paths", "redaction", "models", "decode", "git", "worktrees"],
    ...["calls", "policy", "tools", "sandbox", "profiles", "chats", "credentials"],
    ...["log", "answers", "tokens", "telemetry", "notify"],
    ...["lanes", "lanes/bridge", "lanes/cli", "lanes/acp", "lanes/api"],
    ...["turns", "sessions", "conversations", "comparisons", "agents", "."],
  ],
  gateway: [
    ...["http", "access", "admin", "prompt"],
    ...["chat", "native", "mcp", "models", "page", "server", "acp", "."],
  ],
  fleet: [
    ...["database", "wire", "members", "queue", "seat"],
    ...["log", "answers", "lineage", "tokens", "upstream", "copy"],
    ...["gateway", "worker", "."],
  ],
  simulator: [
    ...["json", "process", "scenario", "config", "model"],
    ...["chat", "mcp", "policy", "tools", "payload", "output"],
    ...["agent", "contract", "acp", "cli", "upstream", "."],
  ],
  cli: [
    ...["host", "terminal", "backup", "config", "workspaces", "credentials"],
    ...["engine", "gateway", "tokens", "store", "ports", "install", "models", "doctor", "settings"],
    ...["fleet", "serve", "in-process", "asks", "following", "chat", "commands"],
    ...["library", "troubleshooting", "."],
  ],
  web: [
    ...["parts", "data", "screen", "choices", "qr", "markdown", "terminal-text", "diff", "search"],
    ...["transcript", "transfer", "composer", "agents", "sessions", "find", "session", "changes", "compare"],
    ...["fleet", "settings", "usage", "connect", "doctor", "link", "new-session", "shell", "offline", "."],
  ],
  "opencode-plugin": ["."],
  "pi-provider": ["."],
};
