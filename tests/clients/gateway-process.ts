import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { toShell } from "@caret/protocol";
import type { GatewayHome } from "./gateway-home.ts";

/** What `caret` runs. */
export const caret = fileURLToPath(new URL("../../packages/cli/bin/caret.js", import.meta.url));
/** What messages tell a person to run: tests work in directories of their own, where `npx caret` would run a stranger's package. */
export const command = toShell(["node", realpathSync(caret)]);
/** Only ends what hangs: on a busy machine a gateway may take long to start. */
const READY_MS = 60_000;

export interface GatewayOptions {
  /** Besides `serve --lane sim --json`. By default any free port. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A `caret serve` of its own, as a user would start it. */
export interface GatewayProcess {
  readonly url: string;
  readonly token: string;
  /** The process that serves, which is another one when a gateway was found and shared. */
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stderr(): string;
  /** Sends SIGTERM, as a service manager would, and waits; a gateway that does not go is killed. */
  stop(): Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a gateway and waits until it says that it is ready. Fails with its words when it does not become so. */
export async function startGateway(home: GatewayHome, options: GatewayOptions = {}): Promise<GatewayProcess> {
  const { args = ["--port", "0"], env = {} } = options;
  const child = spawn(process.execPath, [caret, "serve", "--lane", "sim", "--json", ...args], {
    cwd: home.directory,
    env: { ...home.environment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const closed = once(child, "close");
  const exited = once(child, "exit").then(([code, signal]) => ({ code, signal }) as Exit);
  const ready = await Promise.race([readyLine(child), exited.then(() => undefined), late()]);
  if (ready === undefined) {
    child.kill("SIGKILL");
    await closed; // what it said last arrives after its exit
    throw new Error(`The gateway did not become ready: ${stderr}`);
  }
  return {
    ...ready,
    exited,
    stderr: () => stderr,
    stop: () => stop(child, exited),
    kill: (signal) => void child.kill(signal),
  };
}

type Child = ChildProcessByStdio<null, Readable, Readable>;
type Ready = Pick<GatewayProcess, "url" | "token" | "pid">;

async function readyLine(child: Child): Promise<Ready | undefined> {
  let text = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    text += chunk as string;
    if (!text.includes("\n")) continue;
    const { url, token, pid } = JSON.parse(text) as { url: string; token: string | null; pid: number };
    return { url, token: token ?? "", pid };
  }
  return undefined;
}

function late(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, READY_MS, undefined).unref());
}

async function stop(child: Child, exited: Promise<Exit>): Promise<Exit> {
  const patience = setTimeout(() => child.kill("SIGKILL"), READY_MS);
  child.kill("SIGTERM");
  const exit = await exited;
  clearTimeout(patience);
  return exit;
}
