import {
  type AboutView,
  type CreateSession,
  type LaneName,
  type PermissionWord,
  permissionWords,
  type SandboxWord,
  sandboxWords,
} from "@caret/protocol";

/** What the user chose for a new session. Empty words leave the choice to the gateway. */
export interface SessionChoices {
  readonly workspace: string;
  readonly lane: LaneName | "";
  readonly model: string;
  readonly permission: PermissionWord;
  readonly sandbox: SandboxWord | "";
  /** In a Git worktree of its own. */
  readonly worktree: boolean;
}

const STORED = "caret.new-session";

/** What was chosen last time, where it still exists; else what the gateway prefers. */
export function firstChoices(about: AboutView, storage: Pick<Storage, "getItem">): SessionChoices {
  const last = readLast(storage);
  const lane = about.lanes.find(({ lane, ready }) => ready && lane === last["lane"])?.lane ?? "";
  return {
    workspace: typeof last["workspace"] === "string" ? last["workspace"] : (about.defaultWorkspace ?? ""),
    lane,
    model: typeof last["model"] === "string" ? last["model"] : "",
    permission: permissionWords.find((word) => word === last["permission"]) ?? about.defaultPermission,
    sandbox: sandboxWords.find((word) => word === last["sandbox"]) ?? "",
    worktree: last["worktree"] === true,
  };
}

export function keepChoices(choices: SessionChoices, storage: Pick<Storage, "setItem">): void {
  // Full access is chosen for one session: the next one, maybe in another workspace, starts from the default.
  const { permission, ...others } = choices;
  storage.setItem(STORED, JSON.stringify(permission === "full" ? others : choices));
}

export function toCreateSession({
  workspace,
  lane,
  model,
  permission,
  sandbox,
  worktree,
}: SessionChoices): CreateSession {
  return {
    permission,
    ...(workspace.trim() !== "" && { workspace: workspace.trim() }),
    ...(lane !== "" && { lane }),
    ...(model !== "" && { model }),
    ...(sandbox !== "" && { sandbox }),
    ...(worktree && { worktree }),
  };
}

function readLast(storage: Pick<Storage, "getItem">): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(storage.getItem(STORED) ?? "{}") as Readonly<Record<string, unknown>>;
  } catch {
    // Not written by Caret: start from the defaults.
    return {};
  }
}
