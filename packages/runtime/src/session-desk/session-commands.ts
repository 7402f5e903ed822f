import { CaretError, type ChangeSession, type CreateSession, type SessionDesk } from "@caret/protocol";
import type { CommandOptions, NewSession, SessionChanges, SessionRecord } from "../engine/event-store.ts";
import { titleOf } from "../engine/title-of.ts";
import { importSession } from "../store/transfer/import-session.ts";
import type { DeskContext } from "./desk-context.ts";
import { forkPoint, forkSession } from "./fork-session.ts";
import { commandOf } from "./session-access.ts";
import type { SessionDeskOptions } from "./session-desk-options.ts";
import { placeForImported, placeForNew } from "./session-places.ts";
import { plainWish } from "./start-desk-turn.ts";

type SessionCommands = Pick<SessionDesk, "create" | "change" | "delete" | "fork" | "importSession">;

/** What makes, changes and ends sessions. */
export function sessionCommands(context: DeskContext): SessionCommands {
  const { options, store, find, view, remove } = context;
  const { engine, newId, now, redactor } = options;

  return {
    async create(wanted, caller) {
      assertLane(options, wanted.lane);
      const chosen = await chosenFields(options, wanted);
      const workspace = placeForNew(options, wanted.workspace, caller);
      const session = { id: newId(), workspace, createdAt: now(), ...chosen };
      return view(await created(context, session, commandOf(caller)));
    },

    async change(sessionId, changes, caller) {
      const { id } = await find(sessionId, caller);
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
      const { workspace, lane, model, permission } = source;
      const name = title ?? (source.title === undefined ? undefined : `${source.title} (fork)`);
      const session: NewSession = {
        id: newId(),
        workspace,
        createdAt: now(),
        ...(name === undefined ? {} : { title: titleOf(name, redactor()) }),
        ...(lane === undefined ? {} : { lane }),
        ...(model === undefined ? {} : { model }),
        ...(permission === undefined ? {} : { permission }),
      };
      return view(await forkSession(store, { source, throughSeq: point, session, ...commandOf(caller) }));
    },

    async importSession(chunks, caller) {
      const workspace = (theirs: string): string => placeForImported(options, theirs, caller);
      return view(
        await importSession(store, chunks, { id: newId(), redactor: redactor(), workspace, ...commandOf(caller) }),
      );
    },
  };
}

/** An empty directory of a session that could not be written is removed again. */
async function created(
  { store, options: { scratch } }: DeskContext,
  session: NewSession,
  options: CommandOptions,
): Promise<SessionRecord> {
  try {
    return await store.createSession(session, options);
  } catch (reason) {
    scratch.remove(session.workspace);
    throw reason;
  }
}

async function chosenFields(
  options: SessionDeskOptions,
  { title, lane, model, permission }: CreateSession,
): Promise<Pick<NewSession, "title" | "lane" | "model" | "permission">> {
  return { ...(await changedFields(options, { title, model, permission })), ...(lane === undefined ? {} : { lane }) };
}

/** An empty title is none: the session gets one with its first prompt. */
async function changedFields(
  { resolveModel, redactor }: SessionDeskOptions,
  { title, archived, permission, model }: { readonly [Key in keyof ChangeSession]: ChangeSession[Key] | undefined },
): Promise<SessionChanges> {
  const name = title === undefined ? "" : titleOf(title, redactor());
  return {
    ...(name === "" ? {} : { title: name }),
    ...(archived === undefined ? {} : { archived }),
    ...(permission === undefined ? {} : { permission }),
    ...(model === undefined ? {} : { model: await resolveModel(plainWish(model)) }),
  };
}

function assertLane({ lanes }: SessionDeskOptions, lane: CreateSession["lane"]): void {
  if (lane === undefined || lanes.includes(lane)) return;
  throw new CaretError("unsupported", `The lane ${lane} is not set up`, { fix: `Choose one of: ${lanes.join(", ")}.` });
}
