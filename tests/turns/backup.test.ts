import { execFile } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { createNativeClient } from "@caret/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "../clients/gateway-process.ts";

let home: GatewayHome;
let gateway: GatewayProcess;
beforeAll(async () => {
  home = new GatewayHome({ turns: [{ when: "Linger", steps: [{ text: "I am here. " }, { hang: true }] }] });
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace] });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

function type(dataDir: string, ...args: readonly string[]): Promise<string> {
  const env = { ...home.environment(), CARET_DATA_DIR: dataDir, CARET_LANE: "sim" };
  return new Promise((settle) => {
    execFile(process.execPath, [caret, ...args], { cwd: home.workspace, env }, (_error, stdout) =>
      settle(stdout),
    ).stdin?.end();
  });
}

interface Finding {
  readonly check: string;
  readonly state: string;
}

it("backs up while a turn runs; the copy has every session elsewhere, and the doctor nothing against it", async () => {
  const client = createNativeClient({ baseUrl: gateway.url, headers: { authorization: `Bearer ${gateway.token}` } });
  const begin = async (prompt: string): Promise<string> => {
    const { id } = await client.createSession({ workspace: home.workspace });
    await client.startTurn(id, { prompt });
    return id;
  };
  const view = async (id: string) => await client.getSession(id);
  const ended = await begin("Say hello");
  await expect.poll(async () => (await view(ended)).status).toMatchObject({ kind: "ended" });
  const running = await begin("Linger here");
  await expect.poll(async () => (await view(running)).lastLine, { timeout: 10_000 }).toContain("I am here.");

  const made = JSON.parse(await type(home.dataDir, "backup", join(home.directory, "copy"), "--json"));
  const elsewhere = join(home.directory, "elsewhere");
  renameSync(made.directory, elsewhere);
  const listed = JSON.parse(await type(elsewhere, "sessions", "ls", "--json")) as readonly { readonly id: string }[];
  const findings = JSON.parse(await type(elsewhere, "doctor", "--json")) as readonly Finding[];

  expect(listed.map(({ id }) => id).toSorted()).toEqual([ended, running].toSorted());
  expect(findings.filter(({ state }) => state === "fail")).toEqual([]);
  expect((await view(running)).status).toMatchObject({ kind: "running" });
});
