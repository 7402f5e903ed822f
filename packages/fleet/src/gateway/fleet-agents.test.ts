import type { Agents, AgentView, Caller } from "@caret/protocol";
import { expect, it } from "vitest";
import { createMembers } from "../members/members.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { agentCommands } from "../wire/worker-commands.ts";
import { commandHandlers } from "../worker/command-handlers.ts";
import type { CommandHandlers } from "../worker/run-commands.ts";
import { createFleetAgents } from "./fleet-agents.ts";

let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});

const caller = { tokenName: "anna-laptop", user: "anna" } as Caller;
const queued = { sessionId: "s1", name: "ada", doing: { kind: "queued" } } as AgentView;

/** Arguments of each method of the port, which the worker's own must be called with. */
const calls: Readonly<Record<(typeof agentCommands)[number], readonly unknown[]>> = {
  create: [{ name: "ada", workspace: "/w" }, caller, "a program"],
  get: ["ada", caller],
  queue: ["s1", caller],
  startQueued: ["s1", caller],
  suspend: ["ada", { why: "lunch" }, caller],
  stop: ["ada", caller],
  remove: ["ada", { force: true }, caller],
  changes: ["ada", caller],
  previewMerge: ["ada", caller],
  merge: ["ada", { strategy: "squash" }, caller],
};

it("asks the agent's machine for each thing with the arguments that the port was called with, in their order", async () => {
  const members = createMembers(database);
  const about = { takesAgents: true, workspaces: ["/w"] };
  await members.note({ id: "desk/1", role: "worker", machine: "desk", version: "1", about, isLeaving: false });
  await database.query(`insert into sessions (id, workspace, created_at, updated_at, search_text, home_machine)
    values ('s1', '/w', 1, 1, '', 'desk')`);
  const heard: Record<string, readonly unknown[]> = {};
  const there = Object.fromEntries(
    agentCommands.map((method) => [
      method,
      async (...args: readonly unknown[]) => {
        heard[method] = args;
        return queued;
      },
    ]),
  ) as unknown as Agents;
  const options = { agents: there, sessions: {}, comparisons: {}, publisher: {}, seat: { machine: "desk" } };
  const handlers = commandHandlers(options as never, { shares: new Map(), holds: {} as never }) as CommandHandlers;
  const agents = createFleetAgents({
    local: { get: async () => queued, queue: async () => ({ prompts: [{}] }) } as unknown as Agents,
    database,
    members,
    shown: { owner: async () => undefined },
    // As the database carries it.
    ask: async (_worker, name, args) => await handlers[name]?.(...(JSON.parse(JSON.stringify(args)) as never[])),
  });
  for (const method of agentCommands)
    await (agents[method] as (...args: readonly unknown[]) => Promise<unknown>)(...calls[method]);
  expect(heard).toEqual(calls);
});
