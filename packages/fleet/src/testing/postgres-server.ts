import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A real, private server: a fresh data directory, a Unix socket, no port. */
export interface PostgresServer {
  /** The address of one of its databases. */
  url(database?: string): string;
  /** Creates an empty database and returns its address. */
  createDatabase(name: string): string;
  /** Stops it as an administrator would and restarts it on the same data. */
  restart(): Promise<void>;
  /** Stops it at once, without a chance to write anything, and restarts it. */
  crash(): Promise<void>;
  /** Runs one of its programs (`pg_dump`, `psql`) with its socket in the environment; returns the output. */
  run(program: string, args: readonly string[], input?: string): string;
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Whether commits reach the disk: needed by tests that crash the server. */
  readonly fsync?: boolean;
}

const USER = "caret";

export async function startPostgres({ fsync = false }: PostgresServerOptions = {}): Promise<PostgresServer> {
  const bin = findPrograms();
  const directory = mkdtempSync(join(tmpdir(), "caret-pg-"));
  const asUser = ordinaryUser();
  const data = join(directory, "data");
  mkdirSync(data, { mode: 0o700 });
  chmodSync(directory, 0o755);
  if (asUser.ids !== undefined) for (const path of [directory, data]) chownSync(path, ...asUser.ids);
  const run = (program: string, args: readonly string[], input = ""): string =>
    execFileSync("setpriv", [...asUser.args, join(bin, program), ...args], {
      cwd: directory,
      env: { PGHOST: directory, PGUSER: USER, PGDATABASE: "postgres", LC_ALL: "C.UTF-8" },
      encoding: "utf8",
      input,
      maxBuffer: 1024 * 1024 * 1024,
      stdio: ["pipe", "pipe", "pipe"],
    });
  run("initdb", ["-D", data, "-A", "trust", "-U", USER, "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"]);
  const settings = {
    listen_addresses: "",
    unix_socket_directories: directory,
    unix_socket_permissions: "0777",
    fsync: fsync ? "on" : "off",
    full_page_writes: fsync ? "on" : "off",
    max_connections: "200",
    shared_buffers: "32MB",
    timezone: "UTC",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const start = async (): Promise<ChildProcess> => {
    const args = ["--pdeathsig", "INT", ...asUser.args, join(bin, "postgres"), "-D", data, ...flags];
    const server = spawn("setpriv", args, {
      cwd: directory,
      env: { LC_ALL: "C" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await readyLine(server);
    return server;
  };
  let server = await start();
  const end = async (signal: "SIGINT" | "SIGQUIT" | "SIGKILL"): Promise<void> => {
    const exited = once(server, "exit");
    server.kill(signal);
    await exited;
  };
  const url = (database = "postgres"): string => `postgres://${USER}@localhost/${database}?host=${directory}`;
  return {
    url,
    run,
    createDatabase(name) {
      run("psql", ["-qc", `create database ${name}`]);
      return url(name);
    },
    async restart() {
      await end("SIGINT");
      server = await start();
    },
    async crash() {
      // Immediate shutdown: has the effect of SIGKILL on the data, without leftover children that block the next start.
      await end("SIGQUIT");
      server = await start();
    },
    async stop() {
      await end("SIGQUIT");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function findPrograms(): string {
  const [newest] = globSync("/usr/lib/postgresql/*/bin").sort().reverse();
  if (newest === undefined || !existsSync(join(newest, "postgres")))
    throw new Error("PostgreSQL is missing: install the Debian package `postgresql` (version 15 or newer)");
  return newest;
}

/** PostgreSQL refuses to run as root. */
function ordinaryUser(): { readonly args: readonly string[]; readonly ids?: readonly [number, number] } {
  if (process.getuid?.() !== 0) return { args: [] };
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  const ids = [id("-u"), id("-g")] as const;
  return { args: [`--reuid=${ids[0]}`, `--regid=${ids[1]}`, "--clear-groups"], ids };
}

async function readyLine(server: ChildProcess): Promise<void> {
  const ready = Promise.withResolvers<void>();
  let said = "";
  server.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4_000);
    if (said.includes("ready to accept connections")) ready.resolve();
  });
  server.once("exit", () => ready.reject(new Error(`PostgreSQL did not start:\n${said}`)));
  await ready.promise;
}
