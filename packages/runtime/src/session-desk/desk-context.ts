import type { SessionCaller, SessionView } from "@caret/protocol";
import type { DeleteOptions, EventStore, SessionRecord, SessionWatcher } from "../engine/event-store.ts";
import { createForeignTicks, type ForeignTicks } from "./foreign-ticks.ts";
import { type Attachments, openAttachments } from "./open-attachments.ts";
import { removeSession } from "./remove-session.ts";
import { findVisible } from "./session-access.ts";
import type { SessionDeskOptions } from "./session-desk-options.ts";
import { createDeskTurnStarter, type DeskTurnStarter } from "./start-desk-turn.ts";
import { toSessionView } from "./to-session-view.ts";

const POLL_MS = 500;

/** What the parts of a desk share. */
export interface DeskContext {
  readonly options: SessionDeskOptions;
  readonly store: EventStore;
  readonly attachments: Attachments;
  readonly ticks: ForeignTicks;
  readonly starter: DeskTurnStarter;
  readonly find: (sessionId: string, caller: SessionCaller) => Promise<SessionRecord>;
  readonly view: (session: SessionRecord) => SessionView;
  /** Delete a session with all that is its own. Rejects with `session-busy` while a turn of it runs or begins. */
  readonly remove: (sessionId: string, how?: DeleteOptions) => Promise<boolean>;
  /** Hears of sessions whose turn waits for somebody, or no longer does. */
  readonly onWaiting: (watcher: SessionWatcher) => () => void;
}

export function createDeskContext(options: SessionDeskOptions): DeskContext {
  const { engine, defaultPermission, pollMs = POLL_MS, onError = () => undefined } = options;
  const { store } = engine;
  const attachments = openAttachments(options.attachmentsDir);
  const watchers = new Set<SessionWatcher>();
  const tellWaiting = (sessionId: string): void => {
    for (const watcher of [...watchers]) watcher(sessionId);
  };
  const starter = createDeskTurnStarter({ ...options, attachments, onWaiting: tellWaiting });
  const belongings = { store, attachments, scratch: options.scratch, answers: options.answers };
  return {
    options,
    store,
    attachments,
    ticks: createForeignTicks({ store, pollMs, onError }),
    starter,
    async remove(sessionId, how) {
      const isGone = await engine.holdSession(sessionId, () => removeSession(belongings, sessionId, how));
      if (isGone) starter.forget(sessionId);
      return isGone;
    },
    find: (sessionId, caller) => findVisible(store, sessionId, caller),
    view: (session) =>
      toSessionView(session, {
        turn: engine.runningTurn(session.id),
        isUnended: engine.hasUnendedTurn(session.id),
        defaultPermission,
      }),
    onWaiting(watcher) {
      const own: SessionWatcher = (sessionId) => watcher(sessionId);
      watchers.add(own);
      return () => void watchers.delete(own);
    },
  };
}
