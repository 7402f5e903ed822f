import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { GatewayHome } from "../gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "../gateway-process.ts";
import { type ClientInstall, clientInstalls, type InstalledPlace } from "./client-installs.ts";
import { installClient } from "./client-package.ts";
import type { CodingClient } from "./coding-client.ts";
import { followUp } from "./follow-up.ts";
import { runClient } from "./run-client.ts";
import { ScratchRepository, task } from "./scratch-repository.ts";

let home: GatewayHome;
let repository: ScratchRepository;
let gateway: GatewayProcess;

beforeEach(async () => {
  home = new GatewayHome();
  repository = new ScratchRepository();
  gateway = await startGateway(home);
});
afterEach(async () => {
  await gateway.stop();
  home.remove();
  repository.remove();
});

/** `caret`, as a user of the client would type it. */
async function type(args: readonly string[], path: readonly string[] = []): Promise<string> {
  const env = {
    ...home.environment(),
    HOME: repository.home,
    PATH: [...path, dirname(process.execPath), "/usr/local/bin:/usr/bin:/bin"].join(":"),
    CARET_LANE: "sim",
  };
  const running = promisify(execFile)(process.execPath, [caret, ...args], { cwd: repository.directory, env });
  running.child.stdin?.end();
  return (await running).stdout;
}

function place(token: string): InstalledPlace {
  return { url: gateway.url, token, repository, dataDir: home.dataDir };
}

function asClient({ id, prepare, ...install }: ClientInstall, token: string): CodingClient {
  return { ...install, name: id, prepare: () => prepare(place(token)) };
}

const all = clientInstalls.map((client) => [client.id, client] as const);

it.each(all)(
  "%s works by what caret install wrote, and its files are as they were once it is uninstalled",
  async (id, install) => {
    for (const [path, text] of Object.entries(install.seeds)) repository.keep(path, text);
    const { test, files } = JSON.parse(await type(["install", id, "--json"])) as {
      readonly test: unknown;
      readonly files: readonly { readonly path: string }[];
    };
    const token = readFileSync(join(home.dataDir, "client-tokens", `install-${id}`), "utf8").trim();
    const client = asClient(install, token);
    const exit = await runClient(client, place(token), task);
    expect([exit.code, repository.basket(), exit.stdout]).toEqual([0, "full", expect.stringContaining("3 apples.txt")]);
    expect(await followUp(client, place(token), { task: "Run `wc -l pears.txt`", answer: "1 pears.txt" })).toBe(true);
    await type(["uninstall", id]);
    expect(test).toMatchObject({ model: "auto" });
    for (const { path } of files) {
      const seed = Object.entries(install.seeds).find(([name]) => join(repository.home, name) === path)?.[1];
      expect([path, existsSync(path) ? readFileSync(path, "utf8") : undefined]).toEqual([path, seed]);
    }
  },
);

it.each(all.filter(([, { launch }]) => launch !== undefined))(
  "%s works by caret launch, which leaves no file",
  async (id, install) => {
    const { package: wanted, launch = [] } = install;
    const before = ownTemporary();
    const seeds = Object.entries(install.seeds).map(([path, text]) => repository.keep(path, text));
    const program = await installClient(wanted);
    const stdout = await type(["launch", id, ...launch, task], [dirname(program)]);
    expect([repository.basket(), stdout]).toEqual(["full", expect.stringContaining("3 apples.txt")]);
    expect(ownTemporary()).toEqual(before);
    expect(seeds.map((path) => readFileSync(path, "utf8"))).toEqual(Object.values(install.seeds));
    expect(existsSync(join(home.dataDir, "receipts"))).toBe(false);
  },
);

/** Directories of launches that have not been removed. */
function ownTemporary(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("caret-launch-"));
}
