import { type ChildProcess, spawn } from "node:child_process";
import { type ClientApp, type ClientCapabilities, methods, RequestError } from "@agentclientprotocol/sdk";

interface Terminal {
  readonly child: ChildProcess;
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  output: string;
}

/** The half of an editor that agents use: buffers that need not be saved, and terminals with real processes. */
export class TestEditor {
  static readonly capabilities: ClientCapabilities = {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
  };
  /** Unsaved text, by absolute path. A file without a buffer cannot be read here. */
  readonly buffers = new Map<string, string>();
  /** The files that were asked for. */
  readonly read: string[] = [];
  /** The commands that were run, as their last argument. */
  readonly commands: (string | undefined)[] = [];
  /** Terminals that were released. */
  readonly released: string[] = [];
  readonly #terminals = new Map<string, Terminal>();

  /** Takes part in the client's connection. */
  join(app: ClientApp): void {
    const { fs, terminal } = methods.client;
    app
      .onRequest(fs.readTextFile, ({ params: { path } }) => {
        this.read.push(path);
        const content = this.buffers.get(path);
        if (content === undefined) throw RequestError.resourceNotFound(path);
        return { content };
      })
      .onRequest(fs.writeTextFile, ({ params: { path, content } }) => {
        this.buffers.set(path, content);
        return {};
      })
      .onRequest(terminal.create, ({ params: { command, args = [], cwd } }) => {
        this.commands.push(args.at(-1));
        return { terminalId: this.#open(command, args, cwd ?? undefined) };
      })
      .onRequest(terminal.waitForExit, ({ params }) => this.#find(params.terminalId).exited)
      .onRequest(terminal.output, ({ params }) => ({ output: this.#find(params.terminalId).output, truncated: false }))
      .onRequest(terminal.kill, ({ params }) => {
        this.#find(params.terminalId).child.kill();
        return {};
      })
      .onRequest(terminal.release, ({ params }) => {
        this.#find(params.terminalId).child.kill("SIGKILL");
        this.released.push(params.terminalId);
        return {};
      });
  }

  #open(command: string, args: readonly string[], cwd: string | undefined): string {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const { promise: exited, resolve } = Promise.withResolvers<Awaited<Terminal["exited"]>>();
    child.once("close", (exitCode, signal) => resolve({ exitCode, signal }));
    const terminal: Terminal = { child, exited, output: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        terminal.output += text;
      });
    const id = `terminal-${this.#terminals.size + 1}`;
    this.#terminals.set(id, terminal);
    return id;
  }

  #find(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (terminal === undefined) throw RequestError.resourceNotFound(id);
    return terminal;
  }
}
