import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { terminalPicture } from "./pictures/terminal-picture.ts";

/**
 * Makes the pictures of docs/pictures again: `node scripts/take-pictures.ts [--only terminal|page]`. Terminals are commands as they
 * run in an empty home, with the simulator; screens are those that tests/page/take-screenshots.ts takes of a staged gateway.
 */
const root = join(import.meta.dirname, "..");
const pictures = join(root, "docs/pictures");
const { values } = parseArgs({ options: { only: { type: "string" } } });

const MOST_LINES = 24;

/** By the name of the picture: what it shows, and what is typed. */
const terminals: Readonly<Record<string, readonly [title: string, ...commands: readonly string[]]>> = {
  "terminal-run": ["One turn in the terminal", 'caret run "Read package.json and tell me the name"'],
  "terminal-install": ["A client is set up, and everything taken back", "caret install codex", "caret uninstall codex"],
  "terminal-launch": ["A client is started against the gateway", "caret launch openai ./ask.sh"],
  "terminal-doctor": ["The doctor looks at everything that Caret needs", "caret doctor"],
  "terminal-models": ["Models, families and prices", "caret models"],
  "terminal-usage": ["What was used", "caret usage --by model"],
};

/** By the name of the picture: the screenshot that it is. */
const screens: Readonly<Record<string, string>> = {
  "sessions-at-a-desk": "1440-light-sessions",
  "session-at-a-desk": "1440-light-transcript-top",
  "new-session": "1440-light-new",
  "approval-at-a-desk": "1440-light-approval-command",
  "approval-on-a-phone": "390-dark-approval-command",
  "changes-at-a-desk": "1440-light-changes",
  "usage-at-a-desk": "1440-light-usage",
  "connect-at-a-desk": "1440-light-connect",
  "doctor-at-a-desk": "1440-light-doctor",
  "search-at-a-desk": "1440-light-search",
  "settings-at-a-desk": "1440-light-settings",
};

/** A port that nothing listens at: the usual one may be in use where this runs. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function takeTerminals(): Promise<void> {
  const port = await freePort();
  const machine = realpathSync(mkdtempSync(join(tmpdir(), "caret-pictures-")));
  const home = join(machine, "demo");
  const bin = join(machine, "bin");
  for (const directory of [home, bin]) mkdirSync(directory);
  writeFileSync(join(home, "package.json"), '{ "name": "demo", "version": "1.0.0" }\n');
  writeFileSync(
    join(home, "ask.sh"),
    '#!/bin/sh\necho "$OPENAI_BASE_URL"\ncurl -s "$OPENAI_BASE_URL/models" -H "authorization: Bearer $OPENAI_API_KEY" | head -c 60\n',
  );
  chmodSync(join(home, "ask.sh"), 0o755);
  symlinkSync(join(root, "packages/cli/bin/caret.js"), join(bin, "caret"));
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    TERM: "xterm",
    CARET_SERVER_PORT: String(port),
    CARET_LANE: "sim",
  };
  const type = (command: string): readonly string[] => {
    // In a terminal of 92 columns, by util-linux: what is printed to a pipe is for programs. A turn is drawn again while it runs, so
    // that only a pipe has it line by line.
    const inTerminal = ["script", "-qec", `stty cols 92 rows 60; ${command}`, "/dev/null"];
    const [file = "", ...args] = command.startsWith("caret run ") ? ["sh", "-c", `${command} 2>&1`] : inTerminal;
    const printed = execFileSync(file, args, { cwd: home, env, encoding: "utf8" });
    const own = [
      [home, "~"],
      [machine, "…"],
      [root, "…/caret"],
      [`:${port}`, ":4141"],
    ].reduce((text, [real = "", shown = ""]) => text.replaceAll(real, shown), printed);
    const lines = own
      .trimEnd()
      .split(/\r?\n/)
      .map((line) => stripVTControlCharacters(line.split("\r").at(-1) ?? "").trimEnd());
    return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), "…"] : lines;
  };
  try {
    for (const [name, [title, ...commands]] of Object.entries(terminals)) {
      const lines = commands.flatMap((command) => [`$ ${command}`, ...type(command), ""]);
      writeFileSync(join(pictures, `${name}.svg`), terminalPicture(title, lines.slice(0, -1)));
    }
  } finally {
    rmSync(machine, { recursive: true, force: true });
  }
}

function takeScreens(): void {
  const directory = mkdtempSync(join(tmpdir(), "caret-screens-"));
  try {
    const names = new Set(Object.values(screens).map((shot) => shot.split("-").slice(2).join("-")));
    execFileSync(process.execPath, [join(root, "tests/page/take-screenshots.ts"), directory, ...names], {
      stdio: "inherit",
    });
    for (const [name, shot] of Object.entries(screens))
      copyFileSync(join(directory, `${shot}.png`), join(pictures, `${name}.png`));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (values.only !== "page") await takeTerminals();
if (values.only !== "terminal") takeScreens();
