import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ComparisonView, NativeClient } from "@caret/protocol";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { GatewayProcess } from "../clients/gateway-process.ts";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";

const scenario: ScenarioInput = {
  turns: [
    { when: "for ever", steps: [{ text: "Still here. " }, { hang: true }] },
    {
      when: "a file",
      steps: [{ tool: { name: "shell", args: { command: "echo made >made.txt" } } }, { text: "Made." }],
    },
  ],
};

let fleet: FleetHome;
let gateways: readonly [GatewayProcess, GatewayProcess];
let [one, other]: NativeClient[] = [];
let desk: WorkerProcess;
let deskDirectory: string;
let repository: string;
let count = 0;

const worker = (machine: string, directory: string): Promise<WorkerProcess> =>
  fleet.worker(machine, { CARET_FLEET_MACHINE: machine, CARET_WORKSPACES_ALLOW: JSON.stringify([directory]) });

beforeAll(async () => {
  fleet = await FleetHome.open(scenario);
  deskDirectory = join(fleet.home.directory, "desk-files");
  mkdirSync(deskDirectory);
  await worker("laptop", fleet.home.workspace);
  desk = await worker("desk", deskDirectory);
  gateways = await Promise.all([fleet.gateway("one"), fleet.gateway("other")]);
  [one, other] = gateways.map((gateway) => fleet.client(gateway));
});
afterAll(() => fleet.remove());

const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    encoding: "utf8",
  }).trim();

beforeEach(() => {
  count += 1;
  repository = join(deskDirectory, `repository-${count}`);
  mkdirSync(repository);
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "one");
});

const worktrees = (): number => git("worktree", "list", "--porcelain").match(/^worktree /gm)?.length ?? 0;

const start = (prompt: string, attended = false): Promise<ComparisonView> =>
  (one as NativeClient).startComparison({
    prompt,
    models: ["auto", "gpt-5.1"],
    workspace: repository,
    permission: "full",
    lane: "sim",
    ...(attended ? { attended } : {}),
  });

/** Follows a comparison until it has this state. */
async function until(
  client: NativeClient | undefined,
  id: string,
  state: ComparisonView["state"],
): Promise<ComparisonView> {
  const ended = new AbortController();
  for await (const view of (client as NativeClient).followComparison(id, { signal: ended.signal }))
    if (view.state === state) return view;
  throw new Error("The stream ended before");
}

it("a comparison that is started at one gateway runs on the machine of its repository, is followed and picked at another", async () => {
  const { id } = await start("Make a file");
  const ready = await until(other, id, "ready");
  expect(ready.candidates.map(({ model, state, files }) => [model, state, files?.map(({ path }) => path)])).toEqual([
    ["auto", "done", ["made.txt"]],
    ["gpt-5.1", "done", ["made.txt"]],
  ]);
  const lists = await Promise.all([one, other].map((client) => client?.listComparisons()));
  expect(lists).toEqual([[ready], [ready]]);
  const picked = await other?.pickCandidate(id, { candidate: "2" });
  expect(picked).toMatchObject({ state: "picked", picked: { candidate: "2" } });
  expect(await one?.getComparison(id)).toEqual(picked);
  expect([readFileSync(join(repository, "made.txt"), "utf8"), worktrees()]).toEqual(["made\n", 1]);
  const [candidate] = ready.candidates;
  expect(await one?.getSession(candidate?.sessionId ?? "")).toMatchObject({ archived: true });
});

it("one that is attended lives while a client follows it at any gateway, and is dropped when that gateway is killed", async () => {
  const [, second] = gateways;
  const { id } = await start("Make a file slowly", true);
  // That takes longer than a client may stay away.
  expect(await until(other, id, "ready")).toMatchObject({ state: "ready" });
  const ended = new AbortController();
  const heard = Promise.withResolvers<ComparisonView>();
  const following = (async () => {
    for await (const view of (other as NativeClient).followComparison(id, { signal: ended.signal }))
      heard.resolve(view);
  })().catch(() => undefined);
  await heard.promise;
  second.kill("SIGKILL");
  ended.abort();
  await following;
  await expect.poll(async () => (await one?.getComparison(id))?.state, { timeout: 40_000 }).toBe("dropped");
  // Nobody has chosen: worktrees that hold work are kept.
  const kept = (await one?.getComparison(id))?.candidates.map((candidate) => candidate.kept?.files);
  expect([kept, worktrees()]).toEqual([[["made.txt"], ["made.txt"]], 3]);
});

it("a comparison is gone with the worker that is killed, whose next start removes the worktrees", async () => {
  const { id } = await start("Go on for ever");
  await expect.poll(worktrees).toBe(3);
  desk.kill("SIGKILL");
  await desk.exited;
  desk = await worker("desk", deskDirectory);
  await expect.poll(worktrees, { timeout: 30_000 }).toBe(1);
  await expect(one?.getComparison(id)).rejects.toMatchObject({ code: "not-found" });
  await expect(one?.dropComparison(id)).rejects.toMatchObject({ code: "not-found" });
});
