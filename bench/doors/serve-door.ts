import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A server that answers chat completions with what the agent says. */
export interface ServedDoor {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  /** The model to ask for. */
  readonly model: string;
  /** Its first process; undefined when that is not on this machine. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export interface DoorSettings {
  readonly agent: string;
  /** Under which data and workspaces are made. */
  readonly directory: string;
  readonly bootMs?: number;
  readonly keepWarm?: boolean;
  /** Where to listen; any free port when absent. */
  readonly port?: number;
  /** Caret's; a new one when absent. */
  readonly dataDirectory?: string;
  /** More arguments for `caret serve`. */
  readonly serveArgs?: readonly string[];
  /** More options for Node, to profile the gateway for instance. */
  readonly nodeOptions?: readonly string[];
}

/** A server that has been started and may not be ready yet. */
export interface StartedServer {
  readonly ready: Promise<ServedDoor>;
  stop(): Promise<void>;
}

export const caretProgram = fileURLToPath(new URL("../../packages/cli/bin/caret.js", import.meta.url));
const rawpipe = fileURLToPath(new URL("./rawpipe.js", import.meta.url));

/** `caret serve` as a user gets it: log, redaction and everything else on. */
export function startCaret(settings: DoorSettings): StartedServer {
  const home = realpathSync(mkdtempSync(join(settings.directory, "caret-")));
  const workspace = join(home, "workspace");
  mkdirSync(workspace);
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    CARET_LANE: "cli",
    CARET_CLI_COMMAND: settings.agent,
    CARET_CLI_ARGS: JSON.stringify(["--boot", String(settings.bootMs ?? 0)]),
    CARET_WARM_ENABLED: String(settings.keepWarm ?? true),
    CARET_SERVER_MAX_TURNS: "1024",
    CARET_LOG_LEVEL: "warn",
  };
  const data = settings.dataDirectory ?? join(home, "data");
  const args = ["serve", "--json", "--port", String(settings.port ?? 0), "--data-dir", data, "--workspace", workspace];
  const all = [...(settings.nodeOptions ?? []), caretProgram, ...args, ...(settings.serveArgs ?? [])];
  return started("caret", spawn(process.execPath, all, { env, stdio: STDIO }));
}

/** The floor. */
export function startRawpipe({ agent, bootMs = 0, port = 0 }: DoorSettings): StartedServer {
  const args = [rawpipe, String(port), agent, "--boot", String(bootMs)];
  return started("rawpipe", spawn(process.execPath, args, { stdio: STDIO }));
}

export async function serveCaret(settings: DoorSettings): Promise<ServedDoor> {
  return await startCaret(settings).ready;
}

const STDIO: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];

function started(
  name: string,
  child: ChildProcess & { readonly stdout: NonNullable<ChildProcess["stdout"]> },
): StartedServer {
  const left = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = (): Promise<void> => {
    child.kill("SIGTERM");
    return left;
  };
  const ready = async (): Promise<ServedDoor> => {
    for await (const line of createInterface({ input: child.stdout })) {
      const { url, token, pid } = JSON.parse(line) as { url: string; token: string; pid: number };
      return { name, url, token, model: "auto", pid, stop };
    }
    throw new Error(`${name} left before it was ready`);
  };
  return { ready: ready(), stop };
}
