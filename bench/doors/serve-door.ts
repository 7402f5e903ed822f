import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { childrenOf } from "./process-cost.ts";

/** A server that answers chat completions with what the agent says, and the processes it is made of. */
export interface ServedDoor {
  readonly url: string;
  readonly token: string;
  /** Itself and its helpers, without its agents. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

export interface DoorSettings {
  readonly agent: string;
  /** Under which data and workspaces are made. */
  readonly directory: string;
  readonly bootMs?: number;
  readonly keepWarm?: boolean;
  /** More options for Node, to profile the gateway for instance. */
  readonly nodeOptions?: readonly string[];
}

const caret = fileURLToPath(new URL("../../packages/cli/bin/caret.js", import.meta.url));
const rawpipe = fileURLToPath(new URL("./rawpipe.ts", import.meta.url));

/** `caret serve` as a user gets it: log, redaction and everything else on. */
export async function serveCaret(settings: DoorSettings): Promise<ServedDoor> {
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
  const args = ["serve", "--json", "--port", "0", "--data-dir", join(home, "data"), "--workspace", workspace];
  return serve(spawn(process.execPath, [...(settings.nodeOptions ?? []), caret, ...args], { env, stdio: STDIO }));
}

export async function serveRawpipe({ agent, bootMs = 0 }: DoorSettings): Promise<ServedDoor> {
  const args = [rawpipe, agent, "--boot", String(bootMs)];
  return serve(spawn(process.execPath, args, { stdio: STDIO }));
}

const STDIO: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];

async function serve(
  child: ChildProcess & { readonly stdout: NonNullable<ChildProcess["stdout"]> },
): Promise<ServedDoor> {
  const left = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = (): Promise<void> => {
    child.kill("SIGTERM");
    return left;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, token, pid } = JSON.parse(line) as { url: string; token: string; pid: number };
    return { url, token, pids: [pid, ...childrenOf(pid)], stop };
  }
  throw new Error("The server left before it was ready");
}
