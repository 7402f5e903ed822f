import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ContainerRoot, canStandIn, lastStage } from "./container-root.ts";

const root = resolve(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
const tarball = join(root, `build/caret-gateway-${version}.tgz`);
const PACKING_MS = 600_000;

/** The oldest that is supported, and the one that everything else is tested with. */
const nodes = ["22.22.3", process.versions.node];

let directory: string;
const run = promisify(execFile);

/** An empty directory with the package alone, installed without a network, for one version of Node. */
class Installation {
  readonly #node: string;
  readonly home: string;

  constructor(node: string) {
    this.#node = node;
    this.home = join(directory, node);
    mkdirSync(this.home);
  }

  get #isOwn(): boolean {
    return this.#node === process.versions.node;
  }

  get #prefix(): string {
    return join(directory, `node-${this.#node}`);
  }

  /** The directory of its `node`. */
  get #program(): string {
    return this.#isOwn ? dirname(process.execPath) : join(this.#prefix, "node_modules/node/bin");
  }

  get environment(): NodeJS.ProcessEnv {
    const cache = join(directory, "npm-cache");
    return { PATH: `${this.#program}:/usr/local/bin:/usr/bin:/bin`, HOME: this.home, npm_config_cache: cache };
  }

  async install(): Promise<void> {
    // The one thing that comes from a registry, and no part of what is tested.
    if (!this.#isOwn)
      await run("npm", ["install", "--prefix", this.#prefix, "--no-audit", "--no-fund", `node@${this.#node}`]);
    writeFileSync(join(this.home, "package.json"), '{ "private": true, "type": "module" }\n');
    await this.run("npm", "install", "--offline", "--no-audit", "--no-fund", tarball);
  }

  async run(file: string, ...args: readonly string[]): Promise<string> {
    return (await this.runs(file, ...args)).stdout;
  }

  async runs(file: string, ...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
    return await run(file, [...args], { cwd: this.home, env: this.environment });
  }

  /** Starts `caret serve` and stops it when `use` is done. */
  async serving<Result>(use: (ready: { readonly url: string; readonly token: string }) => Promise<Result>) {
    const bin = join(this.home, "node_modules/.bin/caret");
    const gateway = spawn(bin, ["serve", "--lane", "sim", "--port", "0", "--json"], {
      cwd: this.home,
      env: this.environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(gateway, "exit");
    try {
      const [line] = await once(gateway.stdout, "data");
      return await use(JSON.parse(String(line)));
    } finally {
      gateway.kill("SIGTERM");
      await exited;
    }
  }
}

/** What the Containerfile asks for the health of its gateway, of one at another address. */
function healthCheck(url: string): readonly string[] {
  const [, command = "[]"] =
    /^HEALTHCHECK[\s\S]*?CMD (\[.*\])$/m.exec(readFileSync(join(root, "Containerfile"), "utf8")) ?? [];
  return JSON.parse(command.replace("http://127.0.0.1:4141", url));
}

/** The only child of a process, once there is one. */
async function childOf(pid: number | undefined): Promise<number> {
  const read = (): string => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  await expect.poll(read).toMatch(/^\d+$/);
  return Number(read());
}

/** The programs of the package's README, word for word. */
function examples(readme: string): readonly string[] {
  return [...readme.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
}

describe.runIf(isFullRun())("the packed package", { timeout: PACKING_MS }, () => {
  beforeAll(async () => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-package-")));
    await run("npm", ["run", "pack"], { cwd: root });
  }, PACKING_MS);

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("has no dependencies, no sources, no tests, no source maps and no path of this machine", async () => {
    const inside = join(root, "build/package");
    const manifest = JSON.parse(readFileSync(join(inside, "package.json"), "utf8"));
    const files = readdirSync(inside, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    const foreign = paths.filter((path) => /\.map$|\.test\.|(?<!\.d)\.tsx?$/.test(path));
    const naming = paths.filter((path) => readFileSync(path, "latin1").includes(`${root}/`));
    expect([manifest.dependencies, manifest.private, foreign, naming]).toEqual([undefined, undefined, [], []]);
  });

  it("has the licence of every package that is bundled, those that ship no text included", async () => {
    const text = readFileSync(join(root, "build/package/THIRD-PARTY-LICENCES.txt"), "utf8");
    const parts = text.split(`\n\n${"-".repeat(80)}\n\n`).slice(1);
    const { components } = JSON.parse(readFileSync(join(root, "build/package/sbom.cdx.json"), "utf8"));
    const without = parts.filter((part) => part.includes("ships no licence text"));
    const ends = parts.slice(components.length).map((part) => part.split("\n", 1)[0]);
    const needed = without.flatMap((part) => (/end of this file: (.*)\.$/.exec(part)?.[1] ?? "").split(" and "));
    expect(ends).toEqual([...new Set(needed)].sort());
    expect(parts.filter((part) => part.length < 300 && !without.includes(part))).toEqual([]);
  });

  it(
    "is the same to the last byte when it is packed again",
    async () => {
      const before = readFileSync(tarball);
      await run("npm", ["run", "pack"], { cwd: root });
      expect(readFileSync(tarball).equals(before)).toBe(true);
    },
    PACKING_MS,
  );

  it(
    "has no complaint of publint and of attw",
    async () => {
      const { stdout } = await run("npm", ["run", "pack:check"], { cwd: root });
      expect(stdout).toContain("All good!");
    },
    PACKING_MS,
  );

  it.skipIf(!canStandIn())(
    "runs by what the Containerfile says, with an init that ends by SIGTERM",
    async () => {
      const stage = lastStage(readFileSync(join(root, "Containerfile"), "utf8"));
      const container = new ContainerRoot(mkdtempSync(join(directory, "container-")), tarball);
      for (const instruction of stage) await container.follow(instruction);
      const wall = container.start();
      const ended = once(wall, "exit");
      const init = await childOf(wall.pid);
      const healthy = async (): Promise<number> => await container.exec(init, healthCheck("http://127.0.0.1:4141"));
      await expect.poll(healthy, { timeout: 60_000 }).toBe(0);
      const status = readFileSync(`/proc/${init}/status`, "utf8");
      expect([
        /^Name:\t(.*)$/m.exec(status)?.[1],
        /^NSpid:.*\t(\d+)$/m.exec(status)?.[1],
        /^Uid:\t(\d+)/m.exec(status)?.[1],
      ]).toEqual(["tini", "1", "1000"]);
      process.kill(init, "SIGTERM");
      expect(await ended).toEqual([0, null]);
    },
    PACKING_MS,
  );

  describe.each(nodes)("in an empty directory, with Node %s and no network", (node) => {
    let installed: Installation;

    beforeAll(async () => {
      installed = new Installation(node);
      await installed.install();
    }, PACKING_MS);

    it("is installed alone", async () => {
      const names = readdirSync(join(installed.home, "node_modules")).filter((name) => !name.startsWith("."));
      expect([names, (await installed.run("npx", "caret-gateway", "--version")).trim()]).toEqual([
        ["caret-gateway"],
        version,
      ]);
    });

    it("prints nothing of Node's own beside what a command says", async () => {
      const { stderr } = await installed.runs("npx", "caret", "sessions", "ls");
      expect(stderr).toBe("");
    });

    it("never tells anybody to run what npm calls caret, which is a stranger's", async () => {
      const help = await installed.run("npx", "caret-gateway", "--help");
      const commands = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = ""]) => name);
      const clients = (await installed.run("npx", "caret-gateway", "connect")).match(/^[\w-]+(?=\t)/gm) ?? [];
      const said = [help, await installed.serving(async ({ url }) => await (await fetch(`${url}/healthz`)).text())];
      // By the command itself: npx costs more than all that it prints.
      const bin = join(installed.home, "node_modules/.bin/caret-gateway");
      for (const name of commands) said.push(await installed.run(bin, name, "--help"));
      for (const client of clients.slice(1)) said.push(await installed.run(bin, "connect", client));
      expect([commands.length > 20, clients.length > 20, said.join("\n").match(/.*\bnpx caret(?!-).*/g)]).toEqual([
        true,
        true,
        null,
      ]);
      expect(said.join("\n")).toContain("npx caret-gateway serve");
    });

    it("serves a turn and the page", async () => {
      const seen = await installed.serving(async ({ url, token }) => {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "hello" }] }),
        });
        const { choices } = (await response.json()) as { readonly choices: readonly { finish_reason: string }[] };
        const page = await (await fetch(url)).text();
        const script = /src="\.\/(assets\/[^"]+)"/.exec(page)?.[1];
        return [response.status, choices[0]?.finish_reason, (await fetch(`${url}/${script}`)).status];
      });
      expect(seen).toEqual([200, "stop", 200]);
    });

    it("is healthy by what the Containerfile asks, while it runs and no longer", async () => {
      const address = await installed.serving(async ({ url }) => {
        const [file = "", ...args] = healthCheck(url);
        await installed.run(file, ...args);
        return url;
      });
      const [file = "", ...args] = healthCheck(address);
      await expect(installed.run(file, ...args)).rejects.toMatchObject({ code: 1 });
    });

    it("names modules to clients that are in it", async () => {
      const printed = [
        await installed.run("npx", "caret-gateway", "install", "opencode-plugin", "--print"),
        await installed.run("npx", "caret-gateway", "install", "pi", "--print"),
      ].join("\n");
      const own = `${installed.home}/node_modules/caret-gateway/`;
      const plugin = `${own}opencode-plugin/build/index.js`;
      const provider = JSON.parse(readFileSync(`${own}pi-provider/package.json`, "utf8")).pi.extensions[0];
      expect([
        printed.includes(`file://${plugin}`),
        printed.includes(`${own}pi-provider`),
        [plugin, join(own, "pi-provider", provider)].map((path) => existsSync(path)),
      ]).toEqual([true, true, [true, true]]);
    });

    it("runs every example of its README", async () => {
      const printed: string[] = [];
      for (const [index, code] of examples(
        readFileSync(join(installed.home, "node_modules/caret-gateway/README.md"), "utf8"),
      ).entries()) {
        const file = `example-${index}.js`;
        writeFileSync(join(installed.home, file), code);
        printed.push(await installed.run("node", file));
      }
      expect(printed).toEqual([expect.stringMatching(/hello\s+completed\n$/), "200\n", "", ""]);
    });
  });

  it("has types that a strict program compiles against, without holes", async () => {
    const installed = join(directory, nodes[1] ?? "");
    const code = [
      'import { type AgentEvent, createCaret } from "caret-gateway";',
      'import { createNativeClient } from "caret-gateway/client";',
      'import { scenarioSchema } from "caret-gateway/simulator";',
      "const caret = await createCaret();",
      'for await (const { event } of caret.runTurn({ prompt: "x" })) {',
      "  const exact: AgentEvent = event;",
      "  // @ts-expect-error there is no such type",
      '  if (exact.type === "nothing") break;',
      "  // @ts-expect-error a delta has no outcome",
      '  if (exact.type === "text-delta") exact.outcome;',
      "}",
      "// @ts-expect-error the turns are a list",
      "export const wrong: number = scenarioSchema.parse({}).turns;",
      "export const client = createNativeClient({ baseUrl: caret.url });",
      "",
    ];
    writeFileSync(join(installed, "use.ts"), code.join("\n"));
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
    const strict = ["--noEmit", "--strict", "--skipLibCheck", "false", "--module", "nodenext", "--target", "es2024"];
    await run(join(root, "node_modules/.bin/tsc"), [...strict, ...types, "use.ts"], { cwd: installed });
  });
});
