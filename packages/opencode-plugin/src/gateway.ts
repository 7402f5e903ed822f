import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const START_MS = 60_000;

export interface Gateway {
  readonly url: string;
  readonly token: string;
  /** Whether it was started here, for this directory: then it allows turns there. */
  readonly isOwn: boolean;
  /** Ends it if it was started here and no other OpenCode uses it. */
  close(): void;
}

export interface OpenGatewayOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The gateway that `CARET_URL` and `CARET_TOKEN` name; else that of this user, if it is of the same version; else one that is
 * started here. Between the last two `caret serve` decides, and reads open-cursor's variables itself.
 */
export async function openGateway({ directory, env }: OpenGatewayOptions): Promise<Gateway> {
  const { CARET_URL: named, CARET_TOKEN: key } = env;
  if (named && key) return { url: named, token: key, isOwn: false, close: () => undefined };
  // OpenCode may be killed: `caret serve` sees the end of its standard input, which is never written to. Where a gateway runs
  // already, `caret serve` keeps it for us that long. In a group of its own, since a Ctrl-C for this OpenCode is none for others.
  const child = spawn(nodeProgram(), [caretProgram(), "serve", "--json", "--until-stdin-ends"], {
    cwd: directory,
    env: definedOnly(env),
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  try {
    const { url, token, pid } = await ready(child);
    // What it prints later is nobody's; unread, it would fill the pipe.
    child.stdout.resume();
    child.unref();
    return { url, token: token ?? "", isOwn: pid === child.pid, close: () => void child.stdin.end() };
  } catch (reason) {
    child.kill("SIGTERM");
    throw reason;
  } finally {
    child.stderr.resume();
  }
}

interface Ready {
  readonly url: string;
  readonly token: string | null;
  readonly pid: number;
}

/** Its first line. Rejects with its own words if it ends without one. */
async function ready(
  child: ChildProcess & { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream },
): Promise<Ready> {
  let words = "";
  const listen = (text: string): void => {
    words += text;
  };
  child.stderr.setEncoding("utf8").on("data", listen);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const late = setTimeout(() => reject(new Error("Caret's gateway did not start in time")), START_MS);
  createInterface({ input: child.stdout }).once("line", resolve);
  child.once("error", (cause) => reject(new Error("Caret could not be started", { cause })));
  child.once("close", () => reject(new Error(words.trim() || "Caret's gateway ended at once")));
  try {
    return JSON.parse(await promise) as Ready;
  } finally {
    clearTimeout(late);
    // Its log of many hours is not kept here.
    child.stderr.off("data", listen);
  }
}

/** OpenCode runs plugins in Bun; Caret needs Node, which it brings along. */
function nodeProgram(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin", "node");
  } catch {
    return "node"; // installed without its own
  }
}

function caretProgram(): string {
  // Beside this package, which is loaded as a source or as a bundle, one level below it in either case.
  return fileURLToPath(new URL("../../cli/bin/caret.js", import.meta.url));
}

function definedOnly(env: OpenGatewayOptions["env"]): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
