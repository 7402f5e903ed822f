/** What to type after `caret` and what it does: the end of each command's help, fitted to 80 columns. */
type Example = readonly [typed: string, does: string];

export const commandExamples: ReadonlyMap<string, readonly Example[]> = new Map<string, readonly Example[]>([
  [
    "serve",
    [
      ["serve", "the gateway and its page"],
      ["serve --lane sim", "with simulated turns"],
    ],
  ],
  [
    "chat",
    [
      ["chat", "a new session, here"],
      ["chat -c", "choose one to go on with"],
      ['chat --mode plan "Add dark mode"', "plan first"],
    ],
  ],
  [
    "attach",
    [
      ["attach 3f2a", "a session, by how its id begins"],
      ["attach tester", "an agent"],
    ],
  ],
  [
    "approve",
    [
      ["approve", "what waits, in every session"],
      ["approve 3f2a", "show it, then ask"],
    ],
  ],
  ["deny", [["deny 3f2a use the staging server", "with a reason"]]],
  ["stop", [["stop 3f2a", "as Esc does in a chat"]]],
  [
    "run",
    [
      ['run "Explain this project"', "one turn, here"],
      ['git diff | caret run "Review this"', "about what is piped in"],
      ['run -c "Now add a test"', "go on with the newest session"],
    ],
  ],
  [
    "agent",
    [
      ["agent create tester", "a named agent for this directory"],
      ['agent send tester "Run all tests"', "give it work"],
    ],
  ],
  ["acp", [["acp --permission auto-edits", "started by an editor"]]],
  ["link", [["link", "sign a browser in"]]],
  [
    "connect",
    [
      ["connect", "the clients that have a recipe"],
      ["connect opencode --token oc", "one, with a token for it"],
    ],
  ],
  [
    "install",
    [
      ["install opencode", "set it up, and try it with a turn"],
      ["install codex --dry-run", "show what would be written"],
    ],
  ],
  ["uninstall", [["uninstall opencode", "its settings as they were"]]],
  ["launch", [["launch claude-code", "with this gateway, nothing written"]]],
  ["compare", [['compare --models auto,gpt-5.5 "Fix it"', "two models, one prompt"]]],
  [
    "mcp",
    [
      ["mcp --permission auto-edits", "started by an MCP host"],
      ["mcp list", "the MCP servers of this directory"],
    ],
  ],
  [
    "doctor",
    [
      ["doctor", "what is missing, and what to do"],
      ["doctor --fix", "mend what is safe to mend"],
    ],
  ],
  ["status", [["status --json", "for programs"]]],
  [
    "sessions",
    [
      ["sessions ls", "the newest ones"],
      ["sessions prune --older-than 30d", "delete old ones"],
    ],
  ],
  ["backup", [["backup ~/caret-backup", "everything that Caret keeps"]]],
  ["chats", [["chats ls --all", "of every workspace"]]],
  [
    "usage",
    [
      ["usage --by model", "which model costs what"],
      ["usage --by client --days 7", "who asked, this week"],
    ],
  ],
  ["login", [["login", "prints a link"]]],
  ["logout", [["logout", "forget it, and revoke the key"]]],
  ["auth", [["auth --check", "try every credential"]]],
  ["service", [["service install", "start with your session"]]],
  ["workspaces", [["workspaces allow .", "turns may work here"]]],
  [
    "models",
    [
      ["models --refresh", "ask the agent now"],
      ["models --explain opus", "which model a name means"],
    ],
  ],
  [
    "sync-models",
    [
      ["sync-models --dry-run", "what would change"],
      ["sync-models --compact", "families instead of ids"],
    ],
  ],
  ["token", [["token create laptop", "let a client in"]]],
  ["config", [["config print", "every setting, and who set it"]]],
  [
    "store",
    [
      ["store migrate --from local --to store", "into the database"],
      ["store verify", "read everything once"],
    ],
  ],
  ["fleet", [["fleet --json", "machines and queue, for programs"]]],
  ["worker", [["worker --workspace ~/code", "run turns below ~/code"]]],
  ["completion", [["completion bash > ~/.caret-completion", "source it in ~/.bashrc"]]],
  ["decode", [["decode recording.ndjson", "what an agent said, as events"]]],
]);

const GAP = 3;

/** A command's examples as typed here; undefined if it has none. */
export function exampleHelp(name: string, command: string): string | undefined {
  const rows = commandExamples.get(name)?.map(([typed, does]) => [toTyped(typed, command), does] as const);
  if (rows === undefined) return undefined;
  const width = Math.max(...rows.map(([typed]) => typed.length)) + GAP;
  return ["", "Examples:", ...rows.map(([typed, does]) => `  ${typed.padEnd(width)}${does}`)].join("\n");
}

/** Most begin with the command; in a pipe it comes later. */
function toTyped(typed: string, command: string): string {
  return typed.includes("caret ") ? typed.replace("caret ", `${command} `) : `${command} ${typed}`;
}
