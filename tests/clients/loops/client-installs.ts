import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { claudeCode } from "./claude-code.ts";
import { cline, lastClineSession } from "./cline.ts";
import { codex } from "./codex.ts";
import type { ClientPlace, CodingClient } from "./coding-client.ts";
import { continueDev } from "./continue.ts";
import { openCodes } from "./open-code.ts";
import { pis } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";

/** A client that uses the gateway by what `caret install` has written, and nothing else. */
export interface ClientInstall extends Pick<CodingClient, "goOn" | "goOnFirst" | "goOnInTerminal"> {
  readonly id: string;
  readonly package: CodingClient["package"];
  /** The user's own settings, which are there before Caret's; with what the client itself would add to them. */
  readonly seeds: Readonly<Record<string, string>>;
  readonly prepare: (place: InstalledPlace) => ReturnType<CodingClient["prepare"]>;
  /** What `caret launch` is given, before the task; absent: it cannot work as a script. */
  readonly launch?: readonly string[];
}

export interface InstalledPlace extends ClientPlace {
  readonly dataDir: string;
}

const offline = { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
const claudeTools = ["-p", "--allowedTools", "Read,Write,Bash(wc:*),Bash(sh:*)", "--output-format", "text"];
const quietOpenCode = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
};

export const clientInstalls: readonly ClientInstall[] = [
  {
    id: "claude-code",
    package: claudeCode.package,
    seeds: { ".claude/settings.json": '{\n  "cleanupPeriodDays": 7\n}\n' },
    prepare: ({ dataDir }) => ({
      args: ["--settings", join(dataDir, "clients/claude-code.json"), ...claudeTools],
      env: offline,
    }),
    goOn: ["-c"],
    launch: claudeTools,
  },
  {
    id: "codex",
    package: codex.package,
    // The repository is thrown away, and Codex's own sandbox does not work inside another one.
    seeds: {
      ".codex/config.toml":
        '# mine\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n\n[features]\nplugins = false\napps = false\n',
    },
    prepare: () => ({ args: ["--profile", "caret", "exec", "--skip-git-repo-check"], env: {} }),
    goOn: ["resume", "--last"],
    launch: ["exec", "--skip-git-repo-check"],
  },
  {
    id: "opencode",
    package: (openCodes[0] as CodingClient).package,
    seeds: {
      ".config/opencode/opencode.jsonc":
        '{\n  "$schema": "https://opencode.ai/config.json",\n  // what it may do\n  "permission": { "*": "allow" },\n  "share": "disabled", // never\n  "autoupdate": false,\n}\n',
    },
    prepare: () => ({ args: ["run", "--model", "caret/auto"], env: quietOpenCode }),
    goOn: ["-c"],
    launch: ["run"],
  },
  {
    id: "pi",
    package: (pis[0] as CodingClient).package,
    seeds: { ".pi/agent/settings.json": '{\n\t"quietStartup": true\n}\n' },
    prepare: ({ dataDir }) => ({
      args: ["-p", "--provider", "caret", "--model", "auto"],
      env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", CARET_DATA_DIR: dataDir },
    }),
    goOn: ["-c"],
    launch: ["-p"],
  },
  {
    id: "qwen-code",
    package: qwenCode.package,
    seeds: {
      ".qwen/settings.json":
        '{\n  // nobody needs to know\n  "privacy": { "usageStatisticsEnabled": false },\n  "general": {\n    "enableAutoUpdate": false\n  },\n  "$version": 4\n}\n',
    },
    prepare: ({ token }) => ({ args: ["--auth-type", "openai", "-m", "auto", "-y"], env: { CARET_TOKEN: token } }),
    goOn: ["-c"],
    launch: ["-y"],
  },
  {
    id: "continue",
    package: continueDev.package,
    seeds: { ".continue/config.yaml": "name: Mine\nversion: 0.0.1\nschema: v1\n# none yet\nmodels: []\n" },
    prepare: ({ repository }) => ({
      args: ["-p", "--auto", "--config", join(repository.home, ".continue/config.yaml")],
      env: { CONTINUE_TELEMETRY_ENABLED: "0" },
    }),
    goOn: ["--resume"],
    launch: ["-p", "--auto"],
  },
  {
    id: "cline",
    package: cline.package,
    seeds: {},
    prepare: ({ repository }) => ({
      args: ["--auto-approve", "true", "-c", repository.directory, "-P", "openai-compatible", "-m", "auto"],
      env: {
        CLINE_GLOBAL_SETTINGS_PATH: repository.keep(".cline/global-settings.json", '{"telemetryOptOut": true}'),
        // Its daemon would outlive the test, and serve the next one from a directory that is gone.
        CLINE_SESSION_BACKEND_MODE: "local",
      },
    }),
    goOnInTerminal: lastClineSession,
    launch: ["--auto-approve", "true", "-P", "openai-compatible", "-m", "auto"],
  },
  {
    id: "copilot-cli",
    package: { spec: "@github/copilot@1.0.102", command: "copilot" },
    seeds: {},
    prepare: ({ dataDir }) => ({
      args: ["--allow-all-tools", "-p"],
      env: { ...sourced(join(dataDir, "clients/copilot-cli.sh")), COPILOT_AUTO_UPDATE: "false" },
    }),
    goOnFirst: ["--continue"],
    launch: ["--allow-all-tools", "-p"],
  },
];

/** The variables that a shell has after it has read a file. */
function sourced(file: string): Readonly<Record<string, string>> {
  const names = [...readFileSync(file, "utf8").matchAll(/^export (\w+)=/gm)].map(([, name = ""]) => name);
  const printed = execFileSync("sh", ["-c", `. "$0"; ${names.map((name) => `echo "$${name}"`).join("; ")}`, file], {
    encoding: "utf8",
  });
  const values = printed.trimEnd().split("\n");
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
}
