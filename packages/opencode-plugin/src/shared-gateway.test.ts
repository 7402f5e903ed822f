import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";

let root: string;
let processes: ChildProcess[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-shared-")));
  processes = [];
});
afterEach(async () => {
  for (const child of processes) child.kill("SIGKILL");
  await expect.poll(() => existsSync(lockFile()), { timeout: 15_000 }).toBe(false);
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

/** A program that opens a gateway as the plugin does in OpenCode, says where it is, and stays. */
async function openCode(
  port: Readonly<Record<string, string>> = { CARET_SERVER_PORT: "0" },
): Promise<{ readonly child: ChildProcess; readonly url: string; readonly isOwn: boolean }> {
  const module = new URL("./gateway.ts", import.meta.url).href;
  const program = `
    const { openGateway } = await import(${JSON.stringify(module)});
    const gateway = await openGateway({ directory: process.cwd(), env: process.env });
    console.log(JSON.stringify({ url: gateway.url, isOwn: gateway.isOwn }));
    process.on("SIGHUP", () => gateway.close());
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    env: {
      PATH: process.env["PATH"],
      HOME: root,
      CARET_DATA_DIR: join(root, "data"),
      CARET_LANE: "sim",
      ...port,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  processes.push(child);
  const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line")) as [string];
  return { child, ...(JSON.parse(line) as { readonly url: string; readonly isOwn: boolean }) };
}

const lockFile = (): string => join(root, "data", "gateway.json");
const announced = (): { readonly url: string; readonly pid: number } => JSON.parse(readFileSync(lockFile(), "utf8"));
const answers = async (url: string): Promise<boolean> =>
  await fetch(new URL("/healthz", url)).then(
    ({ ok }) => ok,
    () => false,
  );

it("keeps the gateway of an OpenCode that was killed for a second one, and ends it with the last", async () => {
  const first = await openCode();
  const { pid } = announced();
  const second = await openCode();
  expect([first.isOwn, second.isOwn, second.url]).toEqual([true, false, first.url]);
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  // The third begins to use it while nothing but the second keeps it alive.
  const third = await openCode();
  expect([third.url, announced().pid, await answers(first.url)]).toEqual([first.url, pid, true]);
  second.child.kill("SIGHUP"); // unloads its plugin
  third.child.kill("SIGKILL");
  await expect
    .poll(() => [existsSync(lockFile()), existsSync(`/proc/${pid}`)], { timeout: 15_000 })
    .toEqual([false, false]);
  expect(await answers(first.url)).toBe(false);
});

it("starts its gateway at a free port where another program has the usual one", async () => {
  const stranger = createServer().listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const { port } = stranger.address() as AddressInfo;
  // The usual port is the one that the last gateway of this data directory had.
  mkdirSync(join(root, "data"), { mode: 0o700 });
  writeFileSync(join(root, "data", "port"), `${port}\n`);
  const { url, isOwn } = await openCode({});
  expect([isOwn, new URL(url).port === String(port), await answers(url)]).toEqual([true, false, true]);
  stranger.close();
});

it("finds a gateway also in the moment in which the last OpenCode before it ends", async () => {
  const first = await openCode();
  first.child.kill("SIGKILL");
  const second = await openCode();
  expect(await answers(second.url)).toBe(true);
});
