import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agents, CaretError } from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AgentRecord } from "../../log/agent-store.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createAgentRegistrations } from "./agent-registrations.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-sockets-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it("opens the sockets of the other agents where one cannot be opened, and removes what is left of agents that are gone", async () => {
  const [damaged, whole, gone] = ["a", "b", "c"].map((name) => join(directory, name)) as [string, string, string];
  mkdirSync(join(damaged, "agent.sock", "in-the-way"), { recursive: true });
  mkdirSync(whole);
  mkdirSync(gone);
  const errors: CaretError[] = [];
  const spawner = createInlineSpawner();
  const registrations = createAgentRegistrations({
    store: {
      find: async (name) => (name === "c" ? undefined : ({ name } as AgentRecord)),
      ofSession: async () => undefined,
    },
    agents: () => ({}) as Agents,
    callerOf: async () => ({ tokenName: "agents" }),
    directory,
    command: { file: "caret", args: [] },
    program: [],
    version: "0",
    rules: [],
    userServers: false,
    spawner,
    newId: () => "id",
    onError: (error) => errors.push(error),
  });
  await expect.poll(() => existsSync(join(whole, "agent.sock")) && !existsSync(gone)).toBe(true);
  expect(errors.map(({ code }) => code)).toEqual(["internal"]);
  await registrations.close();
  await spawner.close();
});
