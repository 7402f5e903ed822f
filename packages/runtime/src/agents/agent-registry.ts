import { type Agents, agentNamePattern, type Caller, CaretError, type CreateAgent, HUMAN } from "@caret/protocol";
import { nameSome } from "../git/name-some.ts";
import { type AgentRecord, nameTaken } from "../log/agent-store.ts";
import { allowedWorkspace } from "../paths/allowed-workspace.ts";
import { assertHere } from "../sessions/assert-here.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import { createWorktree, findRepository } from "../worktrees/create-worktree.ts";
import { type OnlyHere, onlyHere } from "../worktrees/only-here.ts";
import { removeWorktree } from "../worktrees/remove-worktree.ts";
import type { Worktree } from "../worktrees/worktree.ts";
import { type AgentRights, createAllRights, leastOf } from "./agent-rights.ts";
import type { AgentScheduler } from "./agent-scheduler.ts";
import type { AgentTurns } from "./agent-turns.ts";
import type { AgentViews } from "./agent-views.ts";
import { worktreeOf } from "./agent-worktrees.ts";
import type { AgentsOptions } from "./agents-context.ts";
import { defined } from "./defined.ts";

type AgentRegistry = Pick<Agents, "create" | "change" | "remove" | "reportStatus">;

interface AgentRegistryParts {
  readonly views: AgentViews;
  readonly turns: AgentTurns;
  readonly scheduler: Pick<AgentScheduler, "paused">;
}

/** Creates, changes and removes agents. */
export function agentRegistry(options: AgentsOptions, { views, turns, scheduler }: AgentRegistryParts): AgentRegistry {
  const { store, sessions, engine } = options;
  const rights = createAllRights(options);
  const show = async (name: string, caller: Caller) => views.view(await views.find(name, caller), caller);

  /** Names are global to the gateway. Another user's agent is refused as if the name were unusable, without revealing that it exists. */
  const refusedName = async (wanted: CreateAgent, caller: Caller): Promise<CaretError> =>
    await views.find(wanted.name, caller).then(
      () => nameTaken(wanted.name),
      () => unusableName(wanted),
    );

  /** An agent made by another one gets at most its maker's rights in this turn. */
  const clamped = async ({ permission, sandbox }: CreateAgent, createdBy: string): Promise<Partial<AgentRights>> => {
    if (createdBy === HUMAN) return defined({ permission, sandbox });
    const maker = await rights.inTurn(createdBy);
    return leastOf(maker, { permission: permission ?? maker.permission, sandbox: sandbox ?? maker.sandbox });
  };

  return {
    async create(wanted, caller, createdBy = HUMAN) {
      assertName(wanted);
      assertHere(wanted);
      if ((await store.find(wanted.name)) !== undefined) throw await refusedName(wanted, caller);
      const worktree = await makeWorktree(options, wanted, caller);
      try {
        const { name, model, lane, budget, userServers } = wanted;
        const { permission, sandbox } = await clamped(wanted, createdBy);
        const workspace = worktree?.path ?? wanted.workspace;
        const session = defined({ workspace, title: name, model, lane, permission, sandbox });
        const agent = { name, createdBy, ...defined({ worktree, userServers }) };
        await sessions.createWith(session, caller, { agent, budget });
      } catch (reason) {
        if (worktree !== undefined) await removeWorktree(options.git, worktree);
        // Another request created an agent of this name in between.
        const isTaken =
          (await store.find(wanted.name)) !== undefined && CaretError.from(reason).code === "invalid-request";
        throw isTaken ? await refusedName(wanted, caller) : reason;
      }
      return await show(wanted.name, caller);
    },

    async change(name, { budget, userServers, ...changes }, caller) {
      const { sessionId } = await views.find(name, caller);
      if (Object.keys(changes).length > 0) await sessions.change(sessionId, changes, caller);
      if (userServers !== undefined) await store.setUserServers(name, userServers);
      if (budget !== undefined) await engine.store.updateSession(sessionId, { budget });
      return await show(name, caller);
    },

    async remove(name, { force = false }, caller) {
      const agent = await views.find(name, caller);
      const reason = "The agent was removed";
      const worktree = await scheduler.paused(agent.sessionId, async () => {
        // A stop does not wait for the log.
        if (force) turns.cancel(agent, reason);
        const found = await worktreeOf(options, agent);
        if (!force) await assertRemovable(options, agent, await turns.working(agent), found);
        // Nothing starts from here on, even after a crash: a repeated removal continues from here.
        await store.suspend(name, { since: options.now() });
        await turns.end(agent, reason);
        return found;
      });
      await turns.release(agent);
      if (worktree !== undefined) await removeWorktree(options.git, worktree);
      await store.remove(name);
      await options.registrations?.forget(name);
      await sessions.delete(agent.sessionId, caller);
    },

    async reportStatus(name, text, caller) {
      await views.find(name, caller);
      await store.report(name, { text: options.redactor().redactText(text), at: options.now() });
      return await show(name, caller);
    },
  };
}

function assertName(wanted: CreateAgent): void {
  if (wanted.name === HUMAN || !agentNamePattern.test(wanted.name)) throw unusableName(wanted);
}

function unusableName({ name }: CreateAgent): CaretError {
  return new CaretError("invalid-request", `${JSON.stringify(name)} cannot be the name of an agent`, {
    fix: "Use another one, of up to 40 small letters, digits and hyphens. Some are not to be had.",
  });
}

async function makeWorktree(
  { git, allowedWorkspaces, worktreesRoot }: AgentsOptions,
  { name, workspace, worktree }: CreateAgent,
  caller: Caller,
): Promise<Worktree | undefined> {
  if (worktree === undefined) return undefined;
  if (workspace !== undefined)
    throw new CaretError("invalid-request", "An agent has a workspace or a worktree, not both");
  if (caller.workspace !== undefined)
    throw new CaretError("workspace-forbidden", "A token that is bound to a workspace cannot create worktrees", {
      fix: "Name a workspace below the token's, or use another token.",
    });
  const repository = await findRepository(git, allowedWorkspace(worktree, allowedWorkspaces));
  // The repository may be larger than the named directory.
  return await createWorktree(git, {
    repository: allowedWorkspace(repository, allowedWorkspaces),
    name,
    root: worktreesRoot,
  });
}

async function assertRemovable(
  { git }: AgentsOptions,
  { name }: AgentRecord,
  turn: RunningTurn | undefined,
  worktree: Worktree | undefined,
): Promise<void> {
  if (turn !== undefined)
    throw new CaretError("session-busy", `The agent ${name} works`, {
      fix: "Wait for its turn, stop it with `caret agent stop`, or remove it with --force.",
    });
  if (worktree !== undefined) assertNothingLost(name, worktree, await onlyHere(git, worktree));
}

function assertNothingLost(name: string, { path }: Worktree, { unmerged, leftBehind }: OnlyHere): void {
  if (unmerged.length > 0)
    throw new CaretError(
      "invalid-request",
      `The worktree of ${name} has work that was not merged: ${nameSome([...unmerged, ...leftBehind])}`,
      {
        fix: `Look at it with \`caret agent diff ${name}\`, bring it back with \`caret agent merge ${name}\`, or remove it with --force.`,
      },
    );
  if (leftBehind.length > 0)
    throw new CaretError(
      "invalid-request",
      `The worktree of ${name} has files that no merge brings back: ${nameSome(leftBehind)}`,
      { fix: `Copy what you need from ${path}, or remove it with --force.` },
    );
}
