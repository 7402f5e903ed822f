import { type ChildProcess, type ExecFileException, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "./gateway-process.ts";

let home: GatewayHome;
let gateway: GatewayProcess;
beforeAll(async () => {
  home = new GatewayHome();
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

interface Exit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function type(...args: readonly string[]): Promise<Exit> {
  const env = { ...home.environment(), CARET_LANE: "sim" };
  return new Promise((settle) => {
    const child = execFile(process.execPath, [caret, ...args], { cwd: home.workspace, env }, (error, stdout, stderr) =>
      settle({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end();
  });
}

it("ends an installation with a turn by the address, the token and the model that the client's file has", async () => {
  const { code, stdout } = await type("install", "codex", "--json");
  const file = join(home.directory, ".codex/caret.config.toml");
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      client: "codex",
      name: "Codex",
      url: gateway.url,
      door: "responses",
      token: "install-codex",
      isDefault: false,
      files: [{ path: file, existed: false }],
      test: { url: `${gateway.url}/v1`, model: "auto", answer: expect.any(String), durationMs: expect.any(Number) },
    },
  ]);
  expect(readFileSync(file, "utf8")).not.toContain("caret_");
  expect((await type("uninstall", "codex")).code).toBe(0);
});

it("writes nothing where another program listens at the port that the file would name", async () => {
  const other = new GatewayHome();
  const env = { ...other.environment(), CARET_LANE: "sim" };
  const { port } = new URL(gateway.url);
  const args = ["install", "codex", "--server-port", port];
  const { code, stderr } = await new Promise<Exit>((settle) => {
    const done = (error: ExecFileException | null, stdout: string, complaint: string): void =>
      settle({ code: error === null ? 0 : Number(error.code), stdout, stderr: complaint });
    execFile(process.execPath, [caret, ...args], { cwd: other.workspace, env }, done).stdin?.end();
  });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`Cannot listen on 127.0.0.1:${port}: process ${gateway.pid}`),
  ]);
  expect(readdirSync(other.directory)).not.toContain(".codex");
  other.remove();
});

it.each(["zed", "mcp-codex", "mcp-opencode", "mcp-goose"])(
  "starts what the file of %s names, which answers",
  async (client) => {
    const { code, stdout } = await type("install", client, "--json");
    const protocol = client.startsWith("mcp-") ? "mcp" : "acp";
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ client, token: null, test: { protocol } }),
    ]);
    expect((await type("uninstall", client)).code).toBe(0);
  },
);

const ask = `
const answer = await fetch(process.env.OPENAI_BASE_URL + "/models", { headers: { authorization: "Bearer " + process.env.OPENAI_API_KEY } });
console.log(answer.status, process.argv.slice(1).join(" "));
process.exit(7);`;

it("launches any program against the gateway with its own arguments and exit code, and leaves no file", async () => {
  const before = [readdirSync(home.directory), ownTemporary()];
  const { code, stdout } = await type(
    "launch",
    "openai",
    process.execPath,
    "--input-type=module",
    "-e",
    ask,
    "--",
    "--json",
    "x",
  );
  expect([code, stdout]).toEqual([7, "200 --json x\n"]);
  expect([readdirSync(home.directory), ownTemporary()]).toEqual(before);
});

it("passes a termination on to the client that it has launched", async () => {
  const wait = 'console.log("ready"); setInterval(() => {}, 1000);';
  const child: ChildProcess = spawn(process.execPath, [caret, "launch", "openai", process.execPath, "-e", wait], {
    cwd: home.workspace,
    env: { ...home.environment(), CARET_LANE: "sim" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = text(child.stdout as NonNullable<typeof child.stdout>);
  await once(child.stdout as NonNullable<typeof child.stdout>, "readable");
  child.kill("SIGTERM");
  expect([await once(child, "exit"), await output]).toEqual([[143, null], "ready\n"]);
});

it("says which program is missing before it starts anything", async () => {
  const { code, stderr } = await type("launch", "goose");
  expect([code, stderr]).toEqual([1, expect.stringContaining("goose is not on the PATH")]);
});

/** Directories of launches that have not been removed. */
function ownTemporary(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("caret-launch-"));
}
