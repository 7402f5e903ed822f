import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createSpawner } from "../../process/spawner/create-spawner.ts";
import { createAgentHost } from "./create-agent-host.ts";
import { listCliModels } from "./list-cli-models.ts";

const directory = mkdtempSync(join(tmpdir(), "caret-models-"));
const spawner = createSpawner({ mode: "inline", dataDir: directory });
afterAll(async () => {
  await spawner.close();
  rmSync(directory, { recursive: true });
});

/** A host whose agent is a small program of the test's. */
function hostWith(script: string) {
  const command = join(directory, "agent");
  writeFileSync(command, `#!/bin/sh\n${script}\n`);
  chmodSync(command, 0o700);
  return createAgentHost({
    env: { PATH: process.env["PATH"] },
    home: directory,
    platform: process.platform,
    uid: process.getuid?.(),
    spawner,
    containment: { kind: "none", why: "not for this test" },
    programs: { command, args: [], promptAsArg: false, models: {} },
    policy: { trust: true, approveMcps: false, sandbox: undefined, maxArgBytes: 1_000 },
    clocks: { firstEventMs: 1_000, idleMs: 1_000, toolMs: 1_000, turnMs: 1_000, graceMs: 100, drainMs: 100 },
    maxLineBytes: 1_000,
    profiles: {},
    configDir: undefined,
    agentEnv: {},
    warm: undefined,
    openBridge: () => Promise.reject(new Error("no bridge is needed")),
    noteSecrets: () => undefined,
  });
}

it("reads what the agent lists", async () => {
  const host = hostWith(`[ "$*" = models ] && printf 'Available models\\n\\nauto - Auto (default)\\nx-1 - X One\\n'`);
  expect(await listCliModels(host)).toEqual([
    { id: "auto", name: "Auto", isCurrent: false, isDefault: true },
    { id: "x-1", name: "X One", isCurrent: false, isDefault: false },
  ]);
});

it("says that nobody is logged in when the agent says so", async () => {
  const host = hostWith(`echo "Error: Authentication required. Run 'agent login'" >&2; exit 1`);
  await expect(listCliModels(host)).rejects.toMatchObject({ code: "not-logged-in" });
});

it.each([
  ["nothing at all", ":", "protocol-drift"],
  ["that there are none for this account", "echo 'No models available for this account.'", "not-logged-in"],
  ["help of another program", "echo 'Usage: agent [options]'", "protocol-drift"],
])("does not take a list that says %s for a login", async (_what, script, code) => {
  await expect(listCliModels(hostWith(`${script}; exit 0`))).rejects.toMatchObject({ code });
});

it("does not wait for ever for an agent that says nothing", async () => {
  await expect(listCliModels(hostWith("sleep 600"), 50)).rejects.toMatchObject({ code: "stalled" });
});
