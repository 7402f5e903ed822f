import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

interface Command {
  readonly command: string;
  readonly workingDirectory?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Content<Value> {
  readonly path: string;
  readonly content: Value;
}

/** A sandbox of Vercel's harness that keeps nothing in: commands run on this machine, in a directory. */
export class LocalSandbox {
  readonly specificationVersion = "harness-sandbox-v1";
  readonly providerId = "local";
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #children: ChildProcess[] = [];

  constructor(directory: string, env: Readonly<Record<string, string | undefined>>) {
    this.#directory = directory;
    this.#env = env;
  }

  readonly createSession = async ({
    onFirstCreate,
  }: {
    onFirstCreate?: (session: object, more: object) => unknown;
  } = {}) => {
    const session = this.#session();
    const port = await freePort();
    const getPortUrl = async ({ protocol = "http" }: { readonly protocol?: string }) =>
      `${protocol}://127.0.0.1:${port}`;
    await onFirstCreate?.(session, {});
    return {
      ...session,
      id: "local",
      defaultWorkingDirectory: this.#directory,
      ports: [port],
      getPortUrl,
      getPortEndpoint: async (wanted: { readonly protocol?: string }) => ({ url: await getPortUrl(wanted) }),
      stop: () => this.end(),
      destroy: () => this.end(),
      restricted: () => session,
    };
  };

  /** Ends all that was started and still runs, with what it started itself. */
  async end(): Promise<void> {
    for (const child of this.#children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue;
      const exited = once(child, "exit");
      process.kill(-child.pid, "SIGTERM");
      await exited;
    }
  }

  #session() {
    const at = (path: string): string => resolve(this.#directory, path);
    const read = async ({ path }: { readonly path: string }) => await readFile(at(path)).catch(() => null); // there is none
    const write = async ({ path, content }: Content<string | Uint8Array>): Promise<void> => {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), content);
    };
    return {
      description: "A directory of this machine",
      readBinaryFile: read,
      readFile: async (wanted: { readonly path: string }) => {
        const bytes = await read(wanted);
        return bytes === null ? null : new Blob([new Uint8Array(bytes)]).stream();
      },
      readTextFile: async (wanted: { readonly path: string }) => (await read(wanted))?.toString("utf8") ?? null,
      writeBinaryFile: write,
      writeTextFile: write,
      writeFile: async ({ path, content }: Content<ReadableStream<Uint8Array>>) =>
        write({ path, content: new Uint8Array(await new Response(content).arrayBuffer()) }),
      spawn: async (command: Command) => {
        const { child, ended } = this.#start(command);
        return {
          pid: child.pid,
          stdout: Readable.toWeb(child.stdout),
          stderr: Readable.toWeb(child.stderr),
          wait: () => ended,
          kill: () => this.end(),
        };
      },
      run: async (command: Command) => {
        const { child, ended } = this.#start(command);
        const [stdout, stderr, { exitCode }] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
        return { exitCode, stdout, stderr };
      },
    };
  }

  #start({ command, workingDirectory = ".", env = {} }: Command) {
    const child = spawn("bash", ["-c", command], {
      cwd: resolve(this.#directory, workingDirectory),
      env: { ...this.#env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#children.push(child);
    const ended = once(child, "close").then(([code]) => ({ exitCode: (code as number | null) ?? 1 }));
    return { child, ended };
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
