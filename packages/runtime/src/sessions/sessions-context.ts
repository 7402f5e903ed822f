import type {
  AgentCommandView,
  Caller,
  CaretError,
  ImportPlace,
  LaneName,
  PermissionWord,
  RequestedModel,
  Secret,
  SessionStatus,
  SessionView,
} from "@caret/protocol";
import type { AnswerArchive } from "../answers/answer-archive.ts";
import type { Registration } from "../lanes/registration.ts";
import type { DeleteOptions, EventStore, PruneRule, SessionRecord, SessionWatcher } from "../log/event-store.ts";
import type { AllowedWorkspaces } from "../paths/allowed-workspace.ts";
import type { Spawner } from "../process/child-handle.ts";
import type { Containment } from "../process/containment.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Tool } from "../tools/tool.ts";
import type { OpenAsk, RunningTurn, SessionEngine } from "../turns/session-engine.ts";
import { type Baselines, createBaselines } from "./changes/baselines.ts";
import { createForeignTicks, type ForeignTicks } from "./foreign-ticks.ts";
import { type Attachments, openAttachments } from "./open-attachments.ts";
import { removeSession, type SessionBelongings } from "./remove-session.ts";
import type { ScratchDirectories } from "./scratch-directories.ts";
import { findVisible } from "./session-directories.ts";
import { createSessionEditors, type SessionEditors } from "./session-editors.ts";
import { createSessionServers, type SessionServers } from "./session-servers.ts";
import { createSessionWorktrees, type SessionWorktrees } from "./session-worktrees.ts";
import { createSessionTurnStarter, type TurnStarter } from "./start-turn.ts";

/** A list of sessions is sent often: what is larger is decided in the session itself. */
const MAX_LISTED_ASK = 16_384;

const POLL_MS = 500;

/** How long deleting a session waits for its baseline: git still writes to the directory that is deleted. */
const SETTLED_MS = 10_000;

/** What the parts of `Sessions` share. */
export interface SessionsContext {
  readonly options: SessionsOptions;
  readonly store: EventStore;
  readonly attachments: Attachments;
  readonly baselines: Baselines;
  readonly worktrees: SessionWorktrees;
  readonly ticks: ForeignTicks;
  readonly turnOf: (sessionId: string) => ShownTurn | undefined;
  readonly starter: TurnStarter;
  readonly servers: SessionServers;
  readonly editors: SessionEditors;
  readonly find: (sessionId: string, caller: Caller) => Promise<SessionRecord>;
  readonly view: (session: SessionRecord) => SessionView;
  /** Delete a session with all that is its own. Rejects with `session-busy` while a turn of it runs or begins. */
  readonly remove: (sessionId: string, how?: DeleteOptions) => Promise<boolean>;
  /** Called when a session's turn starts or stops waiting for a person. */
  readonly onWaiting: (watcher: SessionWatcher) => () => void;
}

export function createSessionsContext(options: SessionsOptions): SessionsContext {
  const { engine, defaultPermission, pollMs = POLL_MS, onError = () => undefined } = options;
  const { store } = engine;
  const turnOf = options.turnOf ?? engine.runningTurn;
  const attachments = openAttachments(options.attachmentsDir);
  const worktrees = createSessionWorktrees({
    git: options,
    allowedWorkspaces: options.allowedWorkspaces,
    root: options.worktreesRoot,
    directoryOf: attachments.directory,
  });
  const watchers = new Set<SessionWatcher>();
  const tellWaiting = (sessionId: string): void => {
    for (const watcher of [...watchers]) watcher(sessionId);
  };
  const servers = createSessionServers(options);
  const editors = createSessionEditors(options.newId);
  const starter = createSessionTurnStarter({ ...options, attachments, servers, editors, onWaiting: tellWaiting });
  const { scratch, answers, sandboxes, upstreamState, lineage } = options;
  const belongings = { store, attachments, scratch, answers, sandboxes, upstreamState, lineage, worktrees };
  const baselines = createBaselines({ git: options, directoryOf: attachments.directory, now: options.now });
  return {
    options,
    store,
    attachments,
    baselines,
    worktrees,
    ticks: options.ticks ?? createForeignTicks({ store, pollMs, onError }),
    turnOf,
    starter,
    servers,
    editors,
    async remove(sessionId, how) {
      await baselines.settled(sessionId, SETTLED_MS);
      const isGone = await engine.holdSession(sessionId, () => removeSession(belongings, sessionId, how));
      if (isGone) starter.forget(sessionId);
      return isGone;
    },
    find: (sessionId, caller) => findVisible(store, sessionId, caller),
    view: (session) =>
      toSessionView(session, {
        turn: turnOf(session.id),
        isUnended: engine.hasUnendedTurn(session.id),
        defaultPermission,
        isScratch: options.scratch.holds(session.workspace),
      }),
    onWaiting(watcher) {
      const own: SessionWatcher = (sessionId) => watcher(sessionId);
      watchers.add(own);
      return () => void watchers.delete(own);
    },
  };
}

/** What lists and followers show of a running turn. */
export interface ShownTurn extends Pick<RunningTurn, "turnId" | "forDecider"> {
  readonly asks: Pick<RunningTurn["asks"], "open">;
  readonly parked: Pick<NonNullable<RunningTurn["parked"]>, "open"> | undefined;
}

export interface SessionsOptions {
  readonly engine: SessionEngine;
  /** A running turn as the port shows it; absent: the engine's. A gateway of a fleet shows turns that workers run. */
  readonly turnOf?: (sessionId: string) => ShownTurn | undefined;
  /**
   * Hears of the other processes of a fleet when they write to the log: there those end the turns of lost processes that take over their
   * leases. Absent: the log is polled.
   */
  readonly ticks?: ForeignTicks;
  /** Where an imported session is to work, by where it worked; absent: here. */
  readonly importWorkspace?: (theirs: string, caller: Caller, where: ImportPlace) => Promise<string>;
  /** The engine must allow turns to work in them. */
  readonly scratch: ScratchDirectories;
  /** The engine's own: where sessions may work. */
  readonly allowedWorkspaces: AllowedWorkspaces;
  /** Where a session works that names no workspace; undefined: in an empty directory of its own. */
  readonly defaultWorkspace: string | undefined;
  readonly defaultPermission: PermissionWord;
  /** Tools that turns of this session have besides the gateway's: an agent's own. */
  readonly toolsOf?: (sessionId: string) => Promise<readonly Tool[]>;
  /** Caret's MCP server for turns of this session whose agent runs its own tools: that of the agent it belongs to. */
  readonly registrationOf?: (sessionId: string) => Promise<Registration | undefined>;
  /** The `/` commands that the agent of the `acp` lane has announced in a workspace. */
  readonly announcedCommands?: (workspace: string) => readonly AgentCommandView[];
  /** The lanes that are set up. */
  readonly lanes: readonly LaneName[];
  /** Throws `model-unknown`. */
  readonly resolveModel: (requested: RequestedModel) => Promise<string>;
  /** Where images of prompts are kept, each session's in a directory of its own. Made when missing, and ours alone. */
  readonly attachmentsDir: string;
  /** Where worktrees of sessions are made; undefined: nowhere. */
  readonly worktreesRoot?: string;
  /** Answers that are deleted with their sessions. */
  readonly answers?: Pick<AnswerArchive, "removeSession">;
  readonly upstreamState?: SessionBelongings["upstreamState"];
  readonly lineage?: SessionBelongings["lineage"];
  readonly sandboxes?: SessionBelongings["sandboxes"];
  readonly redactor: () => Redactor;
  /** Runs git. */
  readonly spawner: Spawner;
  /** Holds together what an MCP server of a client starts. */
  readonly containment?: Containment;
  /** Secrets that became known, to be kept out of whatever is written down. */
  readonly noteSecrets?: (secrets: readonly Secret[]) => void;
  /** The gateway's own; git sees a chosen part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly newId: () => string;
  /** The store's clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with errors of background work. */
  readonly onError?: (error: CaretError) => void;
  /** How often to look whether another process has written, while anybody follows. */
  readonly pollMs?: number;
  /** Which sessions are deleted by themselves, each rule a limit of its own. Absent: none. */
  readonly retention?: readonly PruneRule[];
  /** How often to look for them. */
  readonly pruneMs?: number;
  /** How often to look for turns whose process has died. */
  readonly abandonedMs?: number;
  /** How long changes of a session are gathered into one update. */
  readonly updatesMs?: number;
}

interface SessionViewOptions {
  /** The turn of the session that can be stopped from here. */
  readonly turn: ShownTurn | undefined;
  /** The session's last turn is ours, although it no longer runs: its end has yet to be written. */
  readonly isUnended: boolean;
  readonly defaultPermission: PermissionWord;
  /** It works in a directory that Caret has made for it. */
  readonly isScratch: boolean;
}

function toSessionView(session: SessionRecord, options: SessionViewOptions): SessionView {
  const { id, title, workspace, lane, model, permission, sandbox, createdAt, updatedAt } = session;
  const { archived, pinned, imported, usage } = session;
  return {
    id,
    ...(session.user === undefined ? {} : { user: session.user }),
    title: title ?? "",
    workspace,
    ...(options.isScratch ? { scratch: true as const } : {}),
    ...relationsOf(session),
    ...(lane === undefined ? {} : { lane }),
    ...(model === undefined ? {} : { model }),
    permission: permission ?? options.defaultPermission,
    ...(sandbox === undefined ? {} : { sandbox }),
    createdAt,
    updatedAt,
    archived,
    ...(pinned === undefined ? {} : { pinned }),
    ...(imported === undefined ? {} : { imported }),
    ...(usage === undefined ? {} : { usage }),
    lastSeq: session.lastSeq,
    lastLine: session.lastLine ?? "",
    status: statusOf(session, options),
  };
}

/** Whose session it is, where it came from, and what waits for it. */
function relationsOf({
  agent,
  asksSince,
  forkedFrom,
  queued,
}: SessionRecord): Pick<SessionView, "agent" | "asksSince" | "forkedFrom" | "queued"> {
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(asksSince === undefined ? {} : { asksSince }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    ...(queued === undefined ? {} : { queued }),
  };
}

function statusOf({ lastTurn, machineWait }: SessionRecord, { turn, isUnended }: SessionViewOptions): SessionStatus {
  if (machineWait !== undefined) {
    const { machine, turnId, since } = machineWait;
    return { kind: "waiting", turnId, since, waitsFor: "machine", about: machine };
  }
  if (lastTurn === undefined) return { kind: "idle" };
  const { turnId, at, outcome } = lastTurn;
  if (outcome !== undefined) return { kind: "ended", turnId, at, outcome };
  const running = { kind: "running", turnId, since: at } as const;
  if (turn?.turnId !== turnId) return isUnended ? running : { ...running, elsewhere: true };
  const wait = waitOf(turn, at);
  return wait === undefined ? running : { kind: "waiting", turnId, ...wait };
}

type Waiting = Extract<SessionStatus, { readonly kind: "waiting" }>;
type Wait = Pick<Waiting, "since" | "waitsFor" | "about" | "approval" | "question">;

function waitOf({ asks, parked }: ShownTurn, startedAt: number): Wait | undefined {
  const [ask] = asks.open();
  if (ask !== undefined) return { waitsFor: ask.kind, about: ask.about, since: ask.since, ...listedAsk(ask) };
  const [call] = parked?.open() ?? [];
  return call === undefined ? undefined : { waitsFor: "client", about: call.name, since: startedAt };
}

function listedAsk({ request }: OpenAsk): Pick<Wait, "approval" | "question"> {
  if (JSON.stringify(request).length > MAX_LISTED_ASK) return {};
  return request.type === "approval-request" ? { approval: request } : { question: request };
}
