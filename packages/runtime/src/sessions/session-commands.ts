import {
  type AgentBudget,
  type Caller,
  CaretError,
  type ChangeSession,
  type CreateSession,
  type Sessions,
  type SessionView,
} from "@caret/protocol";
import type {
  CommandOptions,
  CreateOptions,
  EventEntry,
  EventStore,
  NewSession,
  SessionChanges,
  SessionRecord,
  StoredEvent,
} from "../log/event-store.ts";
import { readAll } from "../log/read-turns.ts";
import { stageSession } from "../log/stage-session.ts";
import { importSession } from "../log/transfer/import-session.ts";
import { titleOf } from "../turns/title-of.ts";
import { assertHere } from "./assert-here.ts";
import { commandOf, userOf, workspaceForImported, workspaceForNew } from "./session-directories.ts";
import type { SessionsContext, SessionsOptions } from "./sessions-context.ts";
import { modelNamed } from "./start-turn.ts";

interface CreateWith extends Pick<CreateOptions, "agent"> {
  readonly budget?: AgentBudget | undefined;
}

type NativeCommands = Pick<
  Sessions,
  "create" | "change" | "delete" | "fork" | "importSession" | "offerServers" | "answerEditor"
>;

export interface SessionCommands extends NativeCommands {
  /** A session of an agent, made together with it. */
  createWith(wanted: CreateSession, caller: Caller, more: CreateWith): Promise<SessionView>;
  /** Where a session is to work here that worked there in another installation. */
  placeImported(theirs: string, caller: Caller): Promise<string>;
}

/** What makes, changes and ends sessions. */
export function sessionCommands(context: SessionsContext): SessionCommands {
  const { options, store, find, view, remove } = context;
  const { engine, newId, now, redactor } = options;

  const createWith: SessionCommands["createWith"] = async (wanted, caller, more) =>
    view(await createFor(context, wanted, caller, more));

  return {
    async create(wanted, caller) {
      const session = await createWith(wanted, caller, {});
      if (session.scratch !== true) context.baselines.begin(session.id, session.workspace);
      return session;
    },
    createWith,

    async change(sessionId, changes, caller) {
      const { id } = await find(sessionId, caller);
      assertLane(options, changes.lane);
      return view(await store.updateSession(id, await changedFields(options, changes)));
    },

    async delete(sessionId, caller) {
      const { id, lastTurn } = await find(sessionId, caller);
      const turn = engine.runningTurn(id);
      if (turn !== undefined && lastTurn?.outcome === undefined)
        throw new CaretError("session-busy", `A turn of the session ${id} is still running`);
      // It has ended and only cleans up.
      await turn?.settled;
      await remove(id, commandOf(caller));
    },

    async fork(sessionId, { throughSeq, title }, caller) {
      const source = await find(sessionId, caller);
      const point = await forkPoint(store, source, throughSeq);
      const name = title ?? (source.title === undefined ? undefined : `${source.title} (fork)`);
      const session: NewSession = {
        id: newId(),
        ...userOf(caller),
        workspace: source.workspace,
        createdAt: now(),
        ...(name === undefined ? {} : { title: titleOf(name, redactor()) }),
        forkedFrom: { sessionId: source.id, seq: point },
        ...choicesOf(source),
      };
      const forked = await forkSession(store, { source, throughSeq: point, session, ...commandOf(caller) });
      const worktree = context.worktrees.find(source.id);
      // The last of those that work there is to remove it.
      if (worktree !== undefined) context.worktrees.keep(forked.id, worktree);
      return view(forked);
    },

    async offerServers(sessionId, { servers }, caller) {
      const { id } = await find(sessionId, caller);
      context.servers.offer(id, servers);
    },

    async answerEditor(sessionId, requestId, answer, caller) {
      const { id } = await find(sessionId, caller);
      context.editors.answer(id, requestId, answer);
    },

    placeImported: async (theirs, caller) => workspaceForImported(options, theirs, caller),

    async importSession(chunks, caller, where = {}) {
      const { importWorkspace } = options;
      if (importWorkspace === undefined) assertHere(where);
      const workspace = async (theirs: string): Promise<string> =>
        importWorkspace?.(theirs, caller, where) ?? workspaceForImported(options, theirs, caller);
      return view(
        await importSession(store, chunks, {
          id: newId(),
          ...userOf(caller),
          redactor: redactor(),
          workspace,
          ...commandOf(caller),
        }),
      );
    },
  };
}

async function createFor(
  context: SessionsContext,
  wanted: CreateSession,
  caller: Caller,
  { agent, budget }: CreateWith,
): Promise<SessionRecord> {
  const { options, worktrees } = context;
  assertHere(wanted);
  assertLane(options, wanted.lane);
  const chosen = await chosenFields(options, wanted);
  const id = options.newId();
  const worktree =
    wanted.worktree === true
      ? await worktrees.make(id, wanted.workspace ?? options.defaultWorkspace, caller)
      : undefined;
  const session = {
    id,
    ...userOf(caller),
    workspace: worktree?.path ?? workspaceForNew(options, wanted.workspace, caller),
    createdAt: options.now(),
    ...chosen,
    ...(budget === undefined ? {} : { budget }),
  };
  const how = { ...commandOf(caller), ...(agent === undefined ? {} : { agent }) };
  const record = await created(context, session, how).catch(async (reason: unknown) => {
    if (worktree !== undefined) await worktrees.removeIfMerged(worktree);
    throw reason;
  });
  if (worktree !== undefined) worktrees.keep(id, worktree);
  return record;
}

/** An empty directory of a session that could not be written is removed again. */
async function created(
  { store, options: { scratch } }: SessionsContext,
  session: NewSession,
  options: CreateOptions,
): Promise<SessionRecord> {
  try {
    return await store.createSession(session, options);
  } catch (reason) {
    scratch.remove(session.workspace);
    throw reason;
  }
}

async function chosenFields(
  options: SessionsOptions,
  { title, lane, model, permission, sandbox }: CreateSession,
): Promise<Pick<NewSession, "title" | "lane" | "model" | "permission" | "sandbox">> {
  return await changedFields(options, { title, lane, model, permission, sandbox });
}

/** How its turns run, where it was decided. */
function choicesOf(session: SessionRecord): Pick<NewSession, "lane" | "model" | "permission" | "sandbox"> {
  const { lane, model, permission, sandbox } = session;
  return {
    ...(lane === undefined ? {} : { lane }),
    ...(model === undefined ? {} : { model }),
    ...(permission === undefined ? {} : { permission }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

/** An empty title is none: the session gets one with its first prompt. */
async function changedFields(
  { resolveModel, redactor }: SessionsOptions,
  changes: { readonly [Key in keyof ChangeSession]: ChangeSession[Key] | undefined },
): Promise<SessionChanges> {
  const { title, archived, pinned, permission, sandbox, model, lane } = changes;
  const name = title === undefined ? "" : titleOf(title, redactor());
  return {
    ...(name === "" ? {} : { title: name }),
    ...(lane === undefined ? {} : { lane }),
    ...(archived === undefined ? {} : { archived }),
    ...(pinned === undefined ? {} : { pinned }),
    ...(permission === undefined ? {} : { permission }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(model === undefined ? {} : { model: await resolveModel(modelNamed(model)) }),
  };
}

function assertLane({ lanes }: SessionsOptions, lane: CreateSession["lane"]): void {
  if (lane === undefined || lanes.includes(lane)) return;
  throw new CaretError("unsupported", `The lane ${lane} is not set up`, { fix: `Choose one of: ${lanes.join(", ")}.` });
}

interface ForkOptions extends CommandOptions {
  readonly source: SessionRecord;
  /** The last event that is copied: the end of a turn; 0: none is. */
  readonly throughSeq: number;
  readonly session: NewSession;
}

/** A new session with the events of another one, all of them or none. Its upstream has yet to hear of them. */
async function forkSession(
  store: EventStore,
  { source, throughSeq, session, ...options }: ForkOptions,
): Promise<SessionRecord> {
  return await stageSession(store, { session, entries: entriesOf(store, source.id, throughSeq) }, options);
}

/** Through which event a session is copied: the one that was asked for, else the end of its last turn that has ended. */
async function forkPoint(
  store: EventStore,
  { id, lastSeq }: SessionRecord,
  asked: number | undefined,
): Promise<number> {
  if (asked === undefined) {
    const [running] = await store.runningTurns({ sessionId: id });
    return running === undefined ? lastSeq : running.firstSeq - 1;
  }
  if (asked === 0) return 0;
  const [event] = asked < 1 ? [] : await store.read(id, { afterSeq: asked - 1, limit: 1, raw: false });
  if (event?.event.type === "turn-end") return asked;
  throw new CaretError("invalid-request", `Event ${asked} is not the last of a turn`, {
    fix: "Name the `seq` of a `turn-end`, or 0 for nothing, or leave it out.",
  });
}

async function* entriesOf(
  store: EventStore,
  from: string,
  throughSeq: number,
): AsyncGenerator<EventEntry, void, undefined> {
  if (throughSeq === 0) return;
  for await (const stored of readAll(store, from)) {
    yield toEntry(stored);
    if (stored.seq === throughSeq) return;
  }
  throw new CaretError("session-not-found", `The session ${from} was deleted while it was copied`);
}

function toEntry({ sessionId, seq, ...entry }: StoredEvent): EventEntry {
  return entry;
}
