import { CaretError, type LaneName } from "@caret/protocol";
import type { Budgets } from "../budgets/check-budget.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { allowedWorkspace } from "./allowed-workspace.ts";
import type { EventStore, SessionRecord } from "./event-store.ts";
import type { Lane, TurnMode } from "./lane.ts";
import type { RunningTurn, SessionEngine, TurnRequest } from "./session-engine.ts";
import { startSessionTurn } from "./start-session-turn.ts";

export interface SessionEngineOptions {
  readonly store: EventStore;
  readonly lanes: readonly Lane[];
  /** Which lane `auto` means here. */
  readonly defaultLane: LaneName;
  readonly redactor: () => Redactor;
  readonly allowedWorkspaces: readonly string[];
  readonly budgets: Budgets;
  readonly defaults: { readonly model: string; readonly mode: TurnMode; readonly force: boolean };
  readonly maxRawBytes: number;
  readonly newId: () => string;
  readonly wallClock: () => number;
}

const MAX_TITLE_LENGTH = 80;

/** Sessions and their turns: who may start one, where it runs, and that it ends. */
export function createSessionEngine(options: SessionEngineOptions): SessionEngine {
  const { store } = options;
  const running = new Map<string, RunningTurn>();
  /** Sessions whose next turn is being prepared: nobody else may take them meanwhile. */
  const taken = new Set<string>();

  const newSession = async (
    request: Omit<TurnRequest, "prompt">,
    title: string | undefined,
  ): Promise<SessionRecord> => {
    const workspace = allowedWorkspace(required(request.workspace), options.allowedWorkspaces);
    return await store.createSession({
      id: options.newId(),
      workspace,
      lane: findLane(options, request.lane).name,
      model: request.model ?? options.defaults.model,
      createdAt: options.wallClock(),
      ...(title === undefined ? {} : { title }),
    });
  };

  /** A session of ours by its id, or one that was made elsewhere and that a lane can find in the workspace. */
  const oldSession = async (id: string, request: TurnRequest): Promise<SessionRecord> => {
    const known = await store.getSession(id);
    if (known !== undefined) return known;
    const lane = findLane(options, request.lane);
    const workspace = request.workspace && allowedWorkspace(request.workspace, options.allowedWorkspaces);
    const upstream = workspace === undefined ? undefined : lane.findSession?.(id, workspace);
    if (upstream === undefined) throw new CaretError("session-not-found", `There is no session ${id}`);
    const session = await newSession({ ...request, lane: lane.name }, titleOf(request, options.redactor()));
    return await store.updateSession(session.id, { upstream });
  };

  const startTurn = async (request: TurnRequest): Promise<RunningTurn> => {
    assertPrompt(request.prompt);
    const session =
      request.sessionId === undefined
        ? await newSession(request, titleOf(request, options.redactor()))
        : await oldSession(request.sessionId, request);
    assertSameWorkspace(session, request.workspace, options.allowedWorkspaces);
    if (running.has(session.id) || taken.has(session.id))
      throw new CaretError("session-busy", `A turn of the session ${session.id} is still running`);
    taken.add(session.id);
    try {
      const lane = findLane(options, request.lane ?? session.lane);
      const turn = await startSessionTurn({ ...options, session, lane, request });
      running.set(session.id, turn);
      void turn.settled.then(() => running.delete(session.id));
      return turn;
    } finally {
      taken.delete(session.id);
    }
  };

  return {
    store,
    startTurn,
    async createSession(request) {
      const session = await newSession(request, request.title);
      const lane = findLane(options, request.lane);
      const upstream = await lane.createSession?.(session.workspace, AbortSignal.timeout(30_000));
      return upstream === undefined ? session : await store.updateSession(session.id, { upstream });
    },
    runningTurn: (sessionId) => running.get(sessionId),
    runningTurns: () => [...running.values()],
    async close() {
      const turns = [...running.values()];
      for (const turn of turns) turn.cancel("Caret is shutting down");
      await Promise.all(turns.map(({ settled }) => settled));
      await Promise.all(options.lanes.map((lane) => lane.close()));
      await store.close();
    },
  };
}

function findLane({ lanes, defaultLane }: SessionEngineOptions, name: LaneName | "auto" | undefined): Lane {
  const wanted = name === undefined || name === "auto" ? defaultLane : name;
  const lane = lanes.find((candidate) => candidate.name === wanted);
  if (lane !== undefined) return lane;
  throw new CaretError("unsupported", `The lane ${wanted} is not set up`, {
    fix: `Choose one of: ${lanes.map((candidate) => candidate.name).join(", ")}.`,
  });
}

function required(workspace: string | undefined): string {
  if (workspace !== undefined) return workspace;
  throw new CaretError("invalid-request", "A new session needs a workspace");
}

function assertPrompt(prompt: string): void {
  if (prompt.trim() === "") throw new CaretError("invalid-request", "The prompt is empty");
  if (prompt.includes("\0"))
    throw new CaretError("invalid-request", "The prompt contains a NUL character", {
      fix: "Take the NUL out of the prompt.",
    });
}

/** A chat belongs to its directory: elsewhere the upstream would silently begin anew. */
function assertSameWorkspace(session: SessionRecord, workspace: string | undefined, allowed: readonly string[]): void {
  const own = allowedWorkspace(session.workspace, allowed);
  if (workspace === undefined || allowedWorkspace(workspace, allowed) === own) return;
  throw new CaretError("invalid-request", `The session ${session.id} belongs to another workspace`, {
    fix: "Leave the workspace out, or start a new session.",
  });
}

function titleOf({ title, prompt }: TurnRequest, redactor: Redactor): string {
  const [line = ""] = (title ?? prompt).trim().split("\n", 1);
  return redactor.redactText(line).slice(0, MAX_TITLE_LENGTH);
}
