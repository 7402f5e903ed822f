import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent, NativeClient } from "@caret/protocol";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";

const tool = (name: string, args: Record<string, unknown> = {}) => ({ tool: { server: "caret", name, args } });
const from = "Message (?<id>[-\\w]+) from the agent (?<who>[-\\w]+)[^:]*:";
const scenario: ScenarioInput = {
  turns: [
    { when: `${from}.*ping`, steps: [tool("send_message", { to: "{{who}}", text: "pong", reply_to: "{{id}}" })] },
    { when: `${from}.*pong`, steps: [{ text: "Thank you, {{who}}." }] },
    { when: "please ping (?<who>[-\\w]+)", steps: [tool("send_message", { to: "{{who}}", text: "ping" })] },
    { when: "ask a person", steps: [tool("ask_human", { question: "Which colour?", wait_seconds: 60 })] },
    { when: "for ever", steps: [{ text: "Still here. " }, { hang: true }] },
  ],
};

let fleet: FleetHome;
/** Two gateways. */
let one: NativeClient;
let other: NativeClient;
let desk: WorkerProcess;
/** The only directory that the desk's worker may work in. */
let deskDirectory: string;

const worker = (machine: string, directory: string, name = machine): Promise<WorkerProcess> =>
  fleet.worker(name, { CARET_FLEET_MACHINE: machine, CARET_WORKSPACES_ALLOW: JSON.stringify([directory]) });

beforeAll(async () => {
  fleet = await FleetHome.open(scenario);
  deskDirectory = join(fleet.home.directory, "desk-files");
  mkdirSync(deskDirectory);
  const [, started, ...gateways] = await Promise.all([
    worker("laptop", fleet.home.workspace),
    worker("desk", deskDirectory),
    fleet.gateway("one"),
    fleet.gateway("other"),
  ]);
  desk = started;
  [one, other] = gateways.map((gateway) => fleet.client(gateway)) as [NativeClient, NativeClient];
  await one.createAgent({ name: "ann", workspace: fleet.home.workspace, permission: "auto-edits", lane: "sim" });
  await other.createAgent({ name: "bob", workspace: deskDirectory, permission: "auto-edits", lane: "sim" });
});
afterAll(() => fleet.remove());

const query = (sql: string): string => fleet.server.run("psql", ["-d", "caret_fleet", "-Atc", sql]).trim();

async function untilIdle(name: string): Promise<void> {
  await expect.poll(async () => (await one.getAgent(name)).doing.kind, { timeout: 30_000 }).toBe("idle");
}

async function eventsOf(name: string): Promise<readonly AgentEvent[]> {
  const { sessionId } = await other.getAgent(name);
  return (await other.readLog(sessionId, { limit: 10_000 })).events.map(({ event }) => event);
}

const promptsOf = async (name: string): Promise<readonly (string | undefined)[]> =>
  (await eventsOf(name)).flatMap((event) => (event.type === "turn-start" ? [event.prompt] : []));

it("agents are made on the machine that has their directory, through any gateway, and are listed by every one", async () => {
  const homes = query(
    "select name, home_machine from caret.agents join caret.sessions on id = session_id order by name",
  );
  expect(homes).toBe("ann|laptop\nbob|desk");
  const lists = await Promise.all([one, other].map(async (client) => await client.listAgents()));
  expect(lists[0]?.map(({ name, workspace, doing }) => [name, workspace, doing.kind])).toEqual([
    ["ann", fleet.home.workspace, "idle"],
    ["bob", deskDirectory, "idle"],
  ]);
  expect(lists[1]).toEqual(lists[0]);
});

it("a message from an agent on one machine starts the turn of an agent on the other, whose answer comes back", async () => {
  await one.sendMessage("ann", { text: "please ping bob" });
  const received = async (name: string) =>
    (await other.listMessages(name, {})).map(({ from: sender, text, state }) => [sender, text, state]);
  await expect
    .poll(() => received("ann"), { timeout: 30_000 })
    .toEqual([
      ["human", "please ping bob", "started"],
      ["bob", "pong", "started"],
    ]);
  expect(await received("bob")).toEqual([["ann", "ping", "started"]]);
  await untilIdle("ann");
  await untilIdle("bob");
});

it("an agent that asks a person gets the answer that is given at another gateway, while it waits", async () => {
  await one.sendMessage("bob", { text: "ask a person" });
  const asked = async () =>
    (await one.listMessages("human", { queued: true })).map(({ from: who, text }) => [who, text]);
  await expect.poll(asked, { timeout: 30_000 }).toEqual([["bob", "Which colour?"]]);
  const [question] = await other.listMessages("human", { queued: true });
  await other.sendMessage("bob", { text: "Blue", replyTo: question?.id ?? "" });
  await untilIdle("bob");
  const results = (await eventsOf("bob")).flatMap((event) =>
    event.type === "tool-result" ? [event.output ?? ""] : [],
  );
  expect(JSON.parse(results.at(-1) ?? "")).toMatchObject({ from: "human", text: "Blue", reply_to: question?.id });
});

it("prompts that are queued behind a turn run after it, and one of them at once when a person says so", async () => {
  const { sessionId } = await one.getAgent("ann");
  const { id } = await one.createSession({ workspace: fleet.home.workspace, permission: "full" });
  const { turnId } = await one.startTurn(id, { prompt: "Go on for ever" });
  await other.queuePrompt(id, { prompt: "Say pear" });
  expect((await one.listQueue(id)).prompts.map(({ text }) => text)).toEqual(["Say pear"]);
  await other.cancelTurn(id, turnId);
  // A turn that was stopped holds the queue.
  await expect.poll(async () => (await one.getSession(id)).status.kind).toBe("ended");
  await other.startQueued(id);
  await expect
    .poll(async () => (await one.getSession(id)).status, { timeout: 20_000 })
    .toMatchObject({ kind: "ended", outcome: "completed" });
  expect((await one.listQueue(id)).prompts).toEqual([]);
  expect((await one.getSession(sessionId)).agent).toBe("ann");
});

it("an agent in a worktree shows its changes, merges them and is removed, asked for at the other gateway", async () => {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: deskDirectory,
      encoding: "utf8",
    });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  const made = await one.createAgent({ name: "cid", worktree: deskDirectory, permission: "full", lane: "sim" });
  await other.sendMessage("cid", { text: "Run `echo pears > fruit.txt`" });
  await untilIdle("cid");
  const changes = await other.agentChanges("cid");
  expect(changes.files.map(({ path }) => path)).toEqual(["fruit.txt"]);
  const preview = await other.previewMerge("cid");
  await one.mergeAgent("cid", { preview: preview.id });
  expect(git("show", "HEAD:fruit.txt")).toBe("pears\n");
  await other.removeAgent("cid", {});
  await expect(one.getAgent("cid")).rejects.toMatchObject({ code: "not-found" });
  expect(git("worktree", "list").trim().split("\n").length).toBe(1);
  expect(made.worktree?.repository).toBe(deskDirectory);
});

it("what waits for an agent whose machine is away says so, is held and let go meanwhile, and starts when the machine is back", async () => {
  desk.kill("SIGTERM");
  await desk.exited;
  await one.sendMessage("bob", { text: "Say plum" });
  const problem = "Waiting for the machine desk: no worker of it is there";
  await expect.poll(async () => (await other.getAgent("bob")).doing).toMatchObject({ kind: "queued", problem });
  expect((await other.listAgents()).find(({ name }) => name === "bob")?.doing).toMatchObject({ problem });
  expect((await other.suspendAgent("bob")).doing.kind).toBe("suspended");
  await one.resumeAgent("bob");
  await expect(one.agentChanges("bob")).rejects.toMatchObject({ code: "agent-unavailable", message: problem });
  desk = await worker("desk", deskDirectory, "desk-again");
  await untilIdle("bob");
  expect((await promptsOf("bob")).at(-1)).toBe("Say plum");
});

it("of two workers of a machine one starts what waits; when it is killed, the other goes on, and nothing is lost or doubled", async () => {
  const second = await worker("desk", deskDirectory, "desk-too");
  const texts = Array.from({ length: 12 }, (_, index) => `Count to ${index + 1}.`);
  const before = (await promptsOf("bob")).length;
  writeFileSync(join(deskDirectory, "seen.txt"), "");
  const sending = (async () => {
    for (const [index, text] of texts.entries())
      await (index % 2 === 0 ? one : other).sendMessage("bob", { id: `count-${index}`, text });
  })();
  const owner = (): string => query("select owner from caret.running_turns limit 1");
  await expect.poll(owner, { timeout: 20_000, interval: 5 }).toMatch(/^desk\//);
  const starter = owner();
  const victim = starter.includes(`/${desk.pid}:`) ? desk : second;
  victim.kill("SIGKILL");
  await sending;
  await untilIdle("bob");
  expect((await promptsOf("bob")).slice(before)).toEqual(texts);
  const states = (await one.listMessages("bob", { limit: 100 })).filter(({ id }) => id.startsWith("count-"));
  expect(states.map(({ state }) => state)).toEqual(texts.map(() => "started"));
});
