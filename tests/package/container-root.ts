import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, matchesGlob } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Of the base image. */
const USER_ID = "1000";
const users = "root:x:0:0::/srv/admin:/bin/sh\nnode:x:1000:1000::/srv/node:/bin/sh\n";
const groups = "root:x:0:\nnode:x:1000:\n";

export interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** The instructions of the image that a Containerfile makes: those of its last stage. */
export function lastStage(containerfile: string): readonly Instruction[] {
  const lines = containerfile
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n");
  const all = lines.filter((line) => line !== "").map((line) => /^(?<name>[A-Z]+)\s+(?<value>.*)$/.exec(line)?.groups);
  const instructions = all as readonly unknown[] as readonly Instruction[];
  return instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM") + 1);
}

/** Whether this machine can stand in for a container engine: by bubblewrap as root, with the programs of Debian. */
export function canStandIn(): boolean {
  const programs = ["bwrap", "tini", "setpriv", "nsenter", "git"];
  return process.getuid?.() === 0 && programs.every((name) => spawnSync("which", [name]).status === 0);
}

/**
 * Does without an engine what the instructions of an image say, in a root of its own with this machine's Debian below
 * /usr. What apt would install has to be there; the base image is a copy of this Node with the npm of this machine.
 */
export class ContainerRoot {
  readonly #root: string;
  readonly #tarball: string;
  readonly #env: Record<string, string> = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/srv/admin" };
  #user = "root";
  #workdir = "/";
  #command: readonly string[] = [];

  constructor(directory: string, tarball: string) {
    this.#root = directory;
    this.#tarball = tarball;
    for (const name of ["etc", "tmp", "srv/node", "srv/admin", "local/bin", "local/lib/node_modules", "usr"])
      mkdirSync(join(directory, name), { recursive: true, mode: 0o755 });
    chmodSync(directory, 0o755);
    chmodSync(join(directory, "tmp"), 0o1777);
    writeFileSync(join(directory, "etc/passwd"), users);
    writeFileSync(join(directory, "etc/group"), groups);
    copyFileSync(process.execPath, join(directory, "local/bin/node"));
    const npm = realpathSync("/usr/bin/npm");
    symlinkSync(join(npm, "../.."), join(directory, "local/lib/node_modules/npm"));
    symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(directory, "local/bin/npm"));
  }

  /** Throws for an instruction that has no meaning here: it would go untested. */
  async follow({ name, value }: Instruction): Promise<void> {
    if (name === "COPY") this.#copy(value);
    else if (name === "RUN") await this.#run(value);
    else if (name === "USER") this.#user = value;
    else if (name === "WORKDIR") this.#workdir = value;
    else if (name === "ENV") Object.assign(this.#env, Object.fromEntries([value.split("=")]));
    else if (name === "ENTRYPOINT" || name === "CMD") this.#command = [...this.#command, ...JSON.parse(value)];
    else if (!["VOLUME", "EXPOSE", "HEALTHCHECK"].includes(name)) throw new Error(`${name} is not known here`);
  }

  #copy(value: string): void {
    const [stage = "", from = "", to = ""] = value.split(" ");
    if (stage !== "--from=build" || !matchesGlob(basename(this.#tarball), basename(from)))
      throw new Error(`COPY ${value}: there is no such file`);
    copyFileSync(this.#tarball, join(this.#root, to));
  }

  async #run(command: string): Promise<void> {
    if (!command.startsWith("apt-get ")) await run("bwrap", [...this.#wall(), "sh", "-c", command]);
  }

  /** The container: its init is process 1. */
  start(): ChildProcess {
    const user = this.#user === "root" ? "0" : USER_ID;
    const identity = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"];
    const home = ["--setenv", "HOME", `/srv/${this.#user}`, "--chdir", this.#workdir];
    const words = [...this.#wall(), ...home, "--as-pid-1", ...identity, ...this.#command];
    return spawn("bwrap", words, { stdio: ["ignore", "pipe", "inherit"] });
  }

  /** Runs a program beside the init of a container that was started; resolves to its exit code. */
  async exec(pid: number, [file = "", ...args]: readonly string[]): Promise<number> {
    const beside = ["--target", String(pid), "--mount", "--net", "--pid", "--", `/usr/local/bin/${file}`, ...args];
    return await run("nsenter", beside).then(
      () => 0,
      ({ code }: { readonly code: number }) => code,
    );
  }

  #wall(): readonly string[] {
    const system = ["/usr", "/lib", "/lib64", "/bin", "/sbin"].flatMap((path) => ["--ro-bind-try", path, path]);
    const own = ["--bind", join(this.#root, "local"), "/usr/local", "--proc", "/proc", "--dev", "/dev"];
    const env = Object.entries(this.#env).flatMap(([name, value]) => ["--setenv", name, value]);
    const apart = ["--unshare-pid", "--unshare-net", "--die-with-parent"];
    return ["--bind", this.#root, "/", ...system, ...own, ...apart, "--clearenv", ...env];
  }
}
