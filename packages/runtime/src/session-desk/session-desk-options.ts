import type { CaretError, LaneName, PermissionWord } from "@caret/protocol";
import type { AnswerArchive } from "../answers/answer-archive.ts";
import type { ScratchPlaces } from "../desk/scratch-places.ts";
import type { ModelWish } from "../desk/turn-desk.ts";
import type { AllowedWorkspaces } from "../engine/allowed-workspace.ts";
import type { PruneRule } from "../engine/event-store.ts";
import type { SessionEngine } from "../engine/session-engine.ts";
import type { Spawner } from "../process/child-handle.ts";
import type { Redactor } from "../redaction/redactor.ts";

export interface SessionDeskOptions {
  readonly engine: SessionEngine;
  /** The engine must allow turns to work in them. */
  readonly scratch: ScratchPlaces;
  /** The engine's own: where sessions may work. */
  readonly allowedWorkspaces: AllowedWorkspaces;
  /** Where a session works that names no workspace; undefined: in an empty directory of its own. */
  readonly defaultWorkspace: string | undefined;
  readonly defaultPermission: PermissionWord;
  /** The lanes that are set up. */
  readonly lanes: readonly LaneName[];
  /** Throws `model-unknown`. */
  readonly resolveModel: (wish: ModelWish) => Promise<string>;
  /** How many turns run at once, whoever started them. */
  readonly maxTurns: number;
  /** Where images of prompts are kept, each session's in a directory of its own. Made when missing, and ours alone. */
  readonly attachmentsDir: string;
  /** Answers that are deleted with their sessions. */
  readonly answers?: Pick<AnswerArchive, "removeSession">;
  readonly redactor: () => Redactor;
  /** Runs git. */
  readonly spawner: Spawner;
  /** The gateway's own; git sees a chosen part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly newId: () => string;
  /** The store's clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Hears of what went wrong where nobody waits for an answer. */
  readonly onError?: (error: CaretError) => void;
  /** How often to look whether another process has written, while anybody follows. */
  readonly pollMs?: number;
  /** Which sessions are deleted by themselves, each rule a limit of its own. Absent: none. */
  readonly retention?: readonly PruneRule[];
  /** How often to look for them. */
  readonly pruneMs?: number;
  /** How often to look for turns whose process has died. */
  readonly abandonedMs?: number;
  /** How long changes of a session are gathered before they are told as one. */
  readonly newsMs?: number;
}
