import type { Command } from "commander";
import { loadCliConfig } from "../config/cli-config.ts";
import { readLoginState, requireCredentials, writeLoginState } from "../config/credentials.ts";
import type { GlobalOptions } from "../config/global-options.ts";
import type { Simulation } from "../config/simulation.ts";
import { CliFailure } from "../process/cli-failure.ts";

const user = {
  email: "simulated@example.com",
  userId: 4242,
  firstName: "Simulated",
  createdAt: "2026-01-01T00:00:00.000Z",
};

interface FormatOption {
  readonly format: string;
}

/** `login`, `logout`, `status` and `about`. */
export function addAccountCommands(program: Command, simulation: Simulation): void {
  const { host, configDir } = simulation;
  const format = ["--format <format>", "Output format: text or json", "text"] as const;
  program
    .command("login")
    .description("Authenticate with Cursor")
    .action(() => {
      writeLoginState(configDir, true);
      host.stdout.write(`✓ Logged in as ${user.email}\n`);
    });
  program
    .command("logout")
    .description("Sign out and clear stored authentication")
    .action(() => {
      writeLoginState(configDir, false);
      host.stdout.write("Logged out\n");
    });
  program
    .command("status")
    .alias("whoami")
    .description("View authentication status")
    .option(...format)
    .action((options: FormatOption) => {
      const status = describeLogin(simulation, program.opts<GlobalOptions>());
      const text = status.isAuthenticated ? `✓ Logged in as ${user.email}` : "Not logged in";
      host.stdout.write(`${isJson(options) ? JSON.stringify(status, null, 2) : text}\n`);
    });
  program
    .command("about")
    .description("Display version, system, and account information")
    .option(...format)
    .action((options: FormatOption) => {
      const about = describeInstallation(simulation, program.opts<GlobalOptions>());
      host.stdout.write(`${isJson(options) ? JSON.stringify(about, null, 2) : renderAbout(about)}\n`);
    });
}

function isJson({ format }: FormatOption): boolean {
  if (format === "json" || format === "text") return format === "json";
  throw new CliFailure(`Error: Invalid format: ${format}. Must be one of: text, json`);
}

/** A stale token is there without its user: only `isAuthenticated` and `userInfo` together are true. */
function describeLogin(simulation: Simulation, options: GlobalOptions) {
  const state = loginState(simulation, options);
  const isAuthenticated = state === "in";
  return {
    status: isAuthenticated ? "authenticated" : "unauthenticated",
    isAuthenticated,
    hasAccessToken: state !== "out",
    hasRefreshToken: state !== "out",
    ...(isAuthenticated ? { userInfo: user } : {}),
  };
}

function loginState({ host, configDir }: Simulation, options: GlobalOptions) {
  try {
    requireCredentials({ env: host.env, configDir, ...options });
    return "in";
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    // Status reports what is wrong instead of failing on it.
    return readLoginState({ env: host.env, configDir }) === "stale" ? "stale" : "out";
  }
}

function describeInstallation(simulation: Simulation, options: GlobalOptions) {
  const { host, configDir, version, models } = simulation;
  const { modelId } = loadCliConfig(configDir);
  const { isAuthenticated } = describeLogin(simulation, options);
  return {
    cliVersion: version,
    latestStatus: "up-to-date",
    latestVersion: version,
    model: models.find(({ id }) => id === modelId)?.name ?? modelId,
    subscriptionTier: isAuthenticated ? "Pro" : null,
    osPlatform: process.platform,
    osArch: process.arch,
    userEmail: isAuthenticated ? user.email : null,
    terminalProgram: host.env["TERM_PROGRAM"] ?? "unknown",
    shell: host.env["SHELL"] ?? "unknown",
    lastRequestId: null,
  };
}

const columnWidth = 20;

function renderAbout(about: ReturnType<typeof describeInstallation>): string {
  const rows: readonly (readonly [string, string])[] = [
    ["CLI Version", about.cliVersion],
    ["Model", about.model],
    ["Subscription Tier", about.subscriptionTier ?? "Unknown"],
    ["OS", `${about.osPlatform} (${about.osArch})`],
    ["Terminal", about.terminalProgram],
    ["Shell", about.shell],
    ["User Email", about.userEmail ?? "Not logged in"],
  ];
  return ["About Cursor CLI", "", ...rows.map(([name, value]) => `${name.padEnd(columnWidth)}${value}`)].join("\n");
}
