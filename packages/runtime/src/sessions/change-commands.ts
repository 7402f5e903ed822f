import { type Caller, CaretError, type Sessions } from "@caret/protocol";
import type { SessionRecord } from "../log/event-store.ts";
import { commitChanges } from "./changes/commit-changes.ts";
import { discardHunk } from "./changes/discard-hunk.ts";
import { sessionChanges } from "./changes/session-changes.ts";
import { visibleWorkspace } from "./session-directories.ts";
import type { SessionsContext } from "./sessions-context.ts";

type ChangeCommands = Pick<Sessions, "sessionChanges" | "discardHunk" | "commitChanges">;

/** What has changed since a session began, and what a person does with it. */
export function changeCommands({ options, find, baselines }: SessionsContext): ChangeCommands {
  const workspaceOf = ({ workspace }: SessionRecord, caller: Caller): string =>
    visibleWorkspace(options, workspace, caller);
  /** Two must not write the same files at once. */
  const idle = async (sessionId: string, caller: Caller): Promise<SessionRecord> => {
    const session = await find(sessionId, caller);
    if (options.engine.runningTurn(session.id) === undefined) return session;
    throw new CaretError("session-busy", "The agent is at work in this workspace");
  };

  return {
    async sessionChanges(sessionId, caller) {
      const session = await find(sessionId, caller);
      return await sessionChanges(options, workspaceOf(session, caller), baselines.find(session.id));
    },
    async discardHunk(sessionId, wanted, caller) {
      const session = await idle(sessionId, caller);
      const workspace = workspaceOf(session, caller);
      const { files } = await sessionChanges(options, workspace, baselines.find(session.id));
      await discardHunk(workspace, files, wanted);
    },
    async commitChanges(sessionId, wanted, caller) {
      return await commitChanges(options, workspaceOf(await idle(sessionId, caller), caller), wanted);
    },
  };
}
