import { type Caller, CaretError, type Sessions } from "@caret/protocol";
import { createKeyedLock } from "../async/keyed-lock.ts";
import type { SessionRecord } from "../log/event-store.ts";
import { wayInside } from "../paths/physical-path.ts";
import type { Baseline } from "./changes/baselines.ts";
import { commitChanges } from "./changes/commit-changes.ts";
import { discardChange } from "./changes/discard-change.ts";
import { sessionChanges } from "./changes/session-changes.ts";
import { visibleWorkspace } from "./session-directories.ts";
import type { SessionsContext, SessionsOptions } from "./sessions-context.ts";

type ChangeCommands = Pick<Sessions, "sessionChanges" | "discardHunk" | "commitChanges">;

/** What has changed since a session began, and what a person does with it. */
export function changeCommands({ options, find, baselines }: SessionsContext): ChangeCommands {
  /** One change of a workspace reads its files, and writes them later. */
  const changing = createKeyedLock();
  const workspaceOf = ({ workspace }: SessionRecord, caller: Caller): string =>
    visibleWorkspace(options, workspace, caller);

  const changeFiles = async <Result>(
    sessionId: string,
    caller: Caller,
    change: (workspace: string, baseline: Baseline | undefined) => Promise<Result>,
  ): Promise<Result> => {
    const session = await find(sessionId, caller);
    const workspace = workspaceOf(session, caller);
    return await changing.run(workspace, async () => {
      await assertNobodyAtWork(options, workspace);
      return await change(workspace, baselines.find(session.id));
    });
  };

  return {
    async sessionChanges(sessionId, caller) {
      const session = await find(sessionId, caller);
      return await sessionChanges(options, workspaceOf(session, caller), baselines.find(session.id));
    },
    discardHunk: (sessionId, wanted, caller) =>
      changeFiles(sessionId, caller, (workspace, baseline) => discardChange(options, workspace, baseline, wanted)),
    commitChanges: (sessionId, wanted, caller) =>
      changeFiles(sessionId, caller, (workspace) => commitChanges(options, workspace, wanted)),
  };
}

/** Another session's agent, in this process or in another one, may work on the same files. */
async function assertNobodyAtWork({ engine: { store } }: SessionsOptions, workspace: string): Promise<void> {
  for (const { sessionId, owner } of await store.runningTurns()) {
    const { workspace: place, title = "Untitled" } = (await store.getSession(sessionId)) ?? {};
    if (place === undefined || !store.isOwnerAlive(owner)) continue;
    if (wayInside(workspace, place) === undefined && wayInside(place, workspace) === undefined) continue;
    throw new CaretError("session-busy", `An agent is at work in this workspace: “${title}” (session ${sessionId})`, {
      fix: "Stop its turn, or wait for its end.",
    });
  }
}
