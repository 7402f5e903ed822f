import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";

const run = promisify(execFile);

/** Without tmux there is no terminal to look at. */
export const hasTmux = isInstalled();

interface TerminalOptions {
  readonly cwd: string;
  readonly columns: number;
  readonly rows?: number;
  readonly env: Readonly<Record<string, string>>;
  /** How many lines it keeps that have left the screen; by default as many as tmux does. */
  readonly history?: number;
}

/** A real terminal, 24-bit colours and all, with a shell in it: what is typed and what is on the screen go through tmux. */
export class TmuxTerminal {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open({ cwd, columns, rows = 50, env, history = 2_000 }: TerminalOptions): Promise<TmuxTerminal> {
    const terminal = new TmuxTerminal(mkdtempSync(join(tmpdir(), "caret-tmux-")));
    const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const size = ["-x", String(columns), "-y", String(rows)];
    // An escape is one key at once, as in a terminal without tmux.
    const keeping = ["set-option", "-g", "history-limit", String(history), ";"];
    await terminal.#tmux(
      "start-server",
      ";",
      ...keeping,
      "new-session",
      "-d",
      ...size,
      "-c",
      cwd,
      ...variables,
      "env PS1='at-shell$ ' sh",
    );
    await terminal.#tmux("set-option", "-g", "escape-time", "0");
    return terminal;
  }

  async type(text: string): Promise<void> {
    await this.#tmux("send-keys", "-l", text);
  }

  /** By tmux's names: `Enter`, `Escape`, `C-c`, `M-Enter`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  async enter(line: string): Promise<void> {
    await this.type(line);
    await this.press("Enter");
  }

  async screen(): Promise<string> {
    return (await this.#tmux("capture-pane", "-p")).replace(/\n+$/, "");
  }

  /** Everything that was printed, as one can scroll back to it, with the spaces at the ends of lines. */
  async everything(): Promise<string> {
    return await this.#tmux("capture-pane", "-p", "-N", "-S", "-");
  }

  /** What is on the screen with the escape sequences that paint it. */
  async painted(): Promise<string> {
    return await this.#tmux("capture-pane", "-p", "-e");
  }

  async shows(text: string | RegExp): Promise<string> {
    const matcher = typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text);
    await expect.poll(() => this.screen(), { interval: 40 }).toEqual(matcher);
    return await this.screen();
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** A format of tmux about the pane: `#{cursor_flag}`, `#{alternate_on}`. */
  async asks(format: string): Promise<string> {
    return (await this.#tmux("display-message", "-p", format)).trim();
  }

  async close(): Promise<void> {
    await this.#tmux("kill-server");
    rmSync(this.#directory, { recursive: true });
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    return (await run("tmux", ["-f", "/dev/null", "-S", join(this.#directory, "socket"), ...args])).stdout;
  }
}

function isInstalled(): boolean {
  try {
    execFileSync("tmux", ["-V"]);
    return true;
  } catch {
    return false; // not on PATH
  }
}
