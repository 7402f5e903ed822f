import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import OpenAI from "openai";
import { afterEach, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { caret, type GatewayOptions, type GatewayProcess, startGateway } from "./gateway-process.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

const homes: GatewayHome[] = [];
const gateways: GatewayProcess[] = [];

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  for (const home of homes.splice(0)) home.remove();
});

function newHome(...args: ConstructorParameters<typeof GatewayHome>): GatewayHome {
  const home = new GatewayHome(...args);
  homes.push(home);
  return home;
}

async function start(home: GatewayHome, options?: GatewayOptions): Promise<GatewayProcess> {
  const gateway = await startGateway(home, options);
  gateways.push(gateway);
  return gateway;
}

function stream({ url, token }: GatewayProcess, content: string) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  return client.chat.completions.create({ model: "auto", messages: [{ role: "user", content }], stream: true });
}

it("lets an answer finish when it gets SIGTERM, takes nothing new, and leaves no agent behind", async () => {
  const home = newHome({ turns: [[{ text: "One moment. " }, { delay: 1000 }, { text: "Here it is." }]] });
  const gateway = await start(home);
  const chunks = (await stream(gateway, "hello"))[Symbol.asyncIterator]();
  let text = (await chunks.next()).value?.choices[0]?.delta.content ?? "";
  const exit = gateway.stop();
  await isGone(gateway);
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
    text += next.value.choices[0]?.delta.content ?? "";
  expect([text, await exit, home.agents()]).toEqual(["One moment. Here it is.", { code: 0, signal: null }, []]);
});

it("ends at the second signal without waiting for anybody", async () => {
  const home = newHome({ turns: [[{ text: "One moment. " }, { hang: true }]] });
  const gateway = await start(home);
  await (await stream(gateway, "hello"))[Symbol.asyncIterator]().next();
  gateway.kill("SIGTERM");
  await isGone(gateway);
  gateway.kill("SIGTERM");
  expect((await gateway.exited).code).toBe(130);
  await expect.poll(() => home.agents(), { timeout: 10_000 }).toEqual([]);
});

it("leaves no agent behind when it is killed", async () => {
  const home = newHome({ turns: [[{ text: "One moment. " }, { hang: true }]] });
  const gateway = await start(home);
  await (await stream(gateway, "hello"))[Symbol.asyncIterator]().next();
  gateway.kill("SIGKILL");
  await gateway.exited;
  await expect.poll(() => home.agents(), { timeout: 10_000 }).toEqual([]);
});

it("is shared instead of started twice for one data directory", async () => {
  const home = newHome();
  const first = await start(home);
  const second = await startGateway(home);
  expect([await second.exited, second.url, second.pid]).toEqual([{ code: 0, signal: null }, first.url, first.pid]);
});

it.runIf(isFullRun())(
  "is not shared with a user who wants other settings, who reads what differs and where it is",
  async () => {
    const home = newHome();
    const { url, pid } = await start(home);
    const args = ["--port", "0", "--workspace", home.workspace, "--host", "127.0.0.2"];
    const refused = await startGateway(home, { args, env: { CARET_MODEL: "opus" } }).catch(String);
    expect(refused).toContain(
      `A gateway runs already at ${url} (process ${pid}), with other settings: model is "auto", not "opus"; ` +
        `server.host is "127.0.0.1", not "127.0.0.2"; workspace is not set, not "${home.workspace}" [invalid-request]`,
    );
  },
);

it.runIf(isFullRun())("shows a user who wants the same gateway where it is and how to get in", async () => {
  const home = newHome();
  const { url, pid, token } = await start(home);
  const second = await startGateway(home);
  expect({ url: second.url, token: second.token }).toEqual({ url, token });
  const { stdout } = await promisify(execFile)(process.execPath, [caret, "serve"], {
    cwd: home.directory,
    env: home.environment(),
  });
  const [first, page, ...differences] = stdout.trimEnd().split("\n");
  expect({ first, hasLink: page?.startsWith(`  Web page  ${url}/`), differences }).toEqual({
    first: `A gateway runs already at ${url} (process ${pid}).`,
    hasLink: true,
    differences: ['  lane is "sim", not "auto"', "  server.port is 0, not 4141"],
  });
});

it("refuses to be a second one for the same data directory when it may not be shared, as with an older one", async () => {
  const home = newHome();
  const { url, pid } = await start(home);
  const refused = await startGateway(home, { env: { CURSOR_ACP_REUSE_EXISTING_PROXY: "false" } }).catch(String);
  const lock = join(home.dataDir, "gateway.json");
  writeFileSync(lock, readFileSync(lock, "utf8").replace(/"version": "[^"]+"/, '"version": "0.0.9"'));
  const newer = await startGateway(home).catch(String);
  const head = `A gateway has this data directory, at ${url} (process ${pid}), and it cannot be shared: `;
  expect(refused).toContain(`${head}CURSOR_ACP_REUSE_EXISTING_PROXY forbids it [storage-locked]`);
  expect(newer).toContain(`${head}the running gateway is of version 0.0.9, not ${version} [storage-locked]`);
  expect(newer).toContain(`\`kill -INT ${pid}\` lets its turns end`);
});

it("keeps its port between starts, and fails with the name of the process that has taken it", async () => {
  const home = newHome();
  const port = await freePort();
  const first = await start(home, { args: ["--port", String(port)] });
  await first.stop();
  const second = await start(home, { args: [] });
  await second.stop();
  const taken = createServer().listen(port, "127.0.0.1");
  await once(taken, "listening");
  const refused = await startGateway(home, { args: [] }).catch(String);
  taken.close();
  const holder = `process ${process.pid} (node`;
  expect([first.url, second.url, refused]).toEqual([
    `http://127.0.0.1:${port}`,
    `http://127.0.0.1:${port}`,
    expect.stringContaining(`Cannot listen on 127.0.0.1:${port}: ${holder}`),
  ]);
});

/** Waits until the gateway takes no new connections. */
async function isGone({ url }: GatewayProcess): Promise<void> {
  const answers = (): Promise<boolean> =>
    fetch(`${url}/healthz`).then(
      () => true,
      () => false,
    );
  await expect.poll(answers, { timeout: 5_000 }).toBe(false);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
