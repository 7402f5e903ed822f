import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { LOG_FILE } from "@caret/runtime";
import { configSources } from "../config/config-flags.ts";
import { loadConfig } from "../config/load-config.ts";
import { readLockFile } from "../gateway/gateway-lock.ts";
import { findOnPath } from "../host/find-on-path.ts";
import { type ExitCode, exitCodes, type Host } from "../host/host.ts";
import { version } from "../host/program.ts";
import { confirm } from "../terminal/confirm.ts";
import { hostLook } from "../terminal/look.ts";
import { write } from "../terminal/print.ts";
import { wrapText } from "../terminal/word-wrap.ts";

/** Something a person may want next. Nothing happens until it is chosen. */
interface NextStep {
  readonly argv: readonly string[];
  readonly does: string;
  /** What it writes, for steps that write outside Caret's own directory: these need a second confirmation. */
  readonly writes?: string;
}

/** Clients recognised by their command on PATH, with Caret's name for each. */
const clients: Readonly<Record<string, string>> = {
  opencode: "opencode",
  claude: "claude-code",
  codex: "codex",
  pi: "pi",
  zed: "zed",
  qwen: "qwen-code",
};

/** A look that includes the terminal's width. */
type WideLook = ReturnType<typeof hostLook>;

/** Runs another Caret command. */
type RunCommand = (argv: readonly string[]) => Promise<ExitCode>;

/**
 * `caret` alone, in a terminal: anyone who has had a session gets the chat. Everyone else is greeted and offered next steps; until they
 * choose one, Caret only reads.
 */
export async function firstRun(host: Host, run: RunCommand): Promise<ExitCode> {
  if (hasLog(host)) return await run(["chat"]);
  const look = hostLook(host);
  const steps = nextSteps(host);
  const lines = [...greeting(host, look), "", ...stepLines(steps, host, look)];
  await write(host.stdout, `${lines.join("\n")}\n\n`);
  const step = await choose(host, steps);
  if (step === undefined) return exitCodes.completed;
  if (step.writes !== undefined && !(await confirm(host, `This writes ${step.writes}. Go on?`)))
    return exitCodes.completed;
  return await run(step.argv);
}

/** The log is created by the first command that needs one. */
function hasLog(host: Host): boolean {
  const { config } = loadConfig(configSources(host, {}));
  return existsSync(join(config.dataDir, LOG_FILE));
}

/** What can be seen without starting anything. */
function greeting(host: Host, look: WideLook): readonly string[] {
  const { style, glyphs } = look;
  const { config } = loadConfig(configSources(host, {}));
  const agent = ["agent", "cursor-agent"].map((name) => findOnPath(host, name)).find((path) => path !== undefined);
  const gateway = readLockFile(config.dataDir, host.uid);
  const mark = (isThere: boolean): string => (isThere ? style.green(glyphs.ok) : style.yellow("!"));
  const line = (isThere: boolean, text: string): readonly string[] =>
    wrapText(text, { first: `${mark(isThere)} `, indent: "  " }, look);
  return [
    ...wrapText(`Caret ${version}: Cursor's coding agent behind every door.`, { first: "", indent: "" }, look),
    "",
    ...line(agent !== undefined, agent ?? "Cursor's agent CLI is not on PATH: turns are only simulated until it is"),
    ...line(gateway !== undefined, gateway === undefined ? "no gateway runs" : `a gateway runs at ${gateway.url}`),
  ];
}

/** Next steps for this machine, most useful first. */
function nextSteps(host: Host): readonly NextStep[] {
  const found = Object.entries(clients).filter(([program]) => findOnPath(host, program) !== undefined);
  const installs = found.map(([, client]) => ({
    argv: ["install", client],
    does: `use Caret from ${client}`,
    writes: `the settings of ${client}`,
  }));
  return [
    { argv: ["doctor"], does: "check this machine, and say what is missing" },
    { argv: ["chat"], does: "talk with the agent here" },
    { argv: ["serve"], does: "start the gateway and its page" },
    ...installs,
    { argv: ["--help"], does: "every command" },
  ];
}

function stepLines(steps: readonly NextStep[], { command }: Host, look: WideLook): readonly string[] {
  const typed = steps.map(({ argv }) => `${command} ${argv.join(" ")}`);
  const width = Math.max(...typed.map((words) => words.length));
  return [
    "What next?",
    ...steps.flatMap(({ does }, index) => {
      const first = `  ${index + 1}  ${look.style.bold((typed[index] ?? "").padEnd(width))}  `;
      return wrapText(does, { first, indent: " ".repeat(width + 7) }, look);
    }),
  ];
}

/** No number, no answer, Ctrl-C: nothing happens. */
async function choose(host: Host, steps: readonly NextStep[]): Promise<NextStep | undefined> {
  const asking = createInterface({ input: host.stdin, output: host.stdout });
  try {
    const answer = (await asking.question(`A number, or Enter to leave: `)).trim();
    return /^\d+$/.test(answer) ? steps[Number(answer) - 1] : undefined;
  } catch {
    return undefined; // closed while waiting
  } finally {
    asking.close();
  }
}
