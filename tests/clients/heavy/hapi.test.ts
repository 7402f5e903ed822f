import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { installPackages } from "../loops/client-package.ts";
import { AcpHome, acpLanes } from "./acp-command.ts";

/** HAPI drives Cursor's `agent acp` from its hub. Here `agent` on the PATH is `caret`, whatever else it is called with. */
const hapi = "@twsxtd/hapi@0.30.7";
const TOKEN = "a-token-of-the-test";
const PATIENCE = { timeout: 60_000 };

interface HubSession {
  readonly id: string;
  readonly active: boolean;
  readonly thinking: boolean;
  readonly pendingRequests: readonly { readonly id: string }[];
}

describe.each(Object.keys(acpLanes) as (keyof typeof acpLanes)[])("HAPI on the %s lane", (lane) => {
  let home: AcpHome;
  let url: string;
  let token: string;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    home = new AcpHome();
    home.program("agent", ["acp", ...acpLanes[lane]], { takesMore: false });
    const program = join(await installPackages([hapi]), "node_modules/@twsxtd/hapi-linux-x64/bin/hapi");
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const env = { ...home.environment(), CLI_API_TOKEN: TOKEN, HAPI_LISTEN_PORT: String(port), HAPI_API_URL: url };
    const start = (...args: readonly string[]): void => {
      children.push(spawn(program, args, { env, cwd: home.workspace, stdio: "ignore" }));
    };
    start("hub");
    token = await vi.waitUntil(signIn, PATIENCE);
    start("cursor", "--hapi-starting-mode", "remote", "--started-by", "runner");
    // Messages to a session that is not active are dropped; it is, once its agent runs.
    await vi.waitUntil(async () => (await sessions())[0]?.active === true && home.servers().length === 1, PATIENCE);
  });
  afterAll(async () => {
    for (const child of children.toReversed()) {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    await vi.waitUntil(() => home.servers().length === 0, PATIENCE);
    home.remove();
  });

  async function signIn(): Promise<string | undefined> {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ accessToken: TOKEN });
    try {
      const response = await fetch(`${url}/api/auth`, { method: "POST", headers, body });
      return ((await response.json()) as { readonly token?: string }).token;
    } catch {
      return undefined; // the hub does not listen yet
    }
  }

  async function api<Answer>(path: string, json?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const command = json === undefined ? {} : { method: "POST", body: JSON.stringify(json) };
    return (await (await fetch(`${url}/api/${path}`, { headers, ...command })).json()) as Answer;
  }

  async function sessions(): Promise<readonly HubSession[]> {
    return (await api<{ readonly sessions: readonly HubSession[] }>("sessions")).sessions;
  }

  async function send(text: string): Promise<string> {
    const [session] = await sessions();
    await api(`sessions/${session?.id}/messages`, { text });
    return session?.id ?? "";
  }

  const said = async (id: string): Promise<string> => JSON.stringify(await api(`sessions/${id}/messages?limit=100`));

  async function permission(): Promise<string> {
    await expect.poll(async () => (await sessions())[0]?.pendingRequests.length, PATIENCE).toBe(1);
    return (await sessions())[0]?.pendingRequests[0]?.id ?? "";
  }

  it("prompts, and refuses and allows permissions", async () => {
    const id = await send("What is 2 + 3?");
    await expect.poll(() => said(id), PATIENCE).toContain("2 + 3 = 5");
    await send("Run it");
    await api(`sessions/${id}/permissions/${encodeURIComponent(await permission())}/deny`, {});
    await expect.poll(() => said(id), PATIENCE).toContain("Done.");
    expect(existsSync(join(home.workspace, "ran.txt"))).toBe(false);
    await send("Run it again");
    await api(`sessions/${id}/permissions/${encodeURIComponent(await permission())}/approve`, {});
    await expect.poll(() => existsSync(join(home.workspace, "ran.txt")), PATIENCE).toBe(true);
  });

  it("cancels in the middle of a tool", async () => {
    await expect.poll(async () => (await sessions())[0]?.thinking, PATIENCE).toBe(false);
    const id = await send("Sleep");
    await api(`sessions/${id}/permissions/${encodeURIComponent(await permission())}/approve`, {});
    await expect.poll(() => home.isRunning("sleep", "600"), PATIENCE).toBe(true);
    await api(`sessions/${id}/abort`, {});
    await expect.poll(() => home.isRunning("sleep", "600"), PATIENCE).toBe(false);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
