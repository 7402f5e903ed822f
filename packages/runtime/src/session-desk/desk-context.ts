import type { SessionCaller, SessionView } from "@caret/protocol";
import type { EventStore, SessionRecord, SessionWatcher } from "../engine/event-store.ts";
import { createForeignTicks, type ForeignTicks } from "./foreign-ticks.ts";
import { type Attachments, openAttachments } from "./open-attachments.ts";
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
  return {
    options,
    store,
    attachments,
    ticks: createForeignTicks({ store, pollMs, onError }),
    starter: createDeskTurnStarter({ ...options, attachments, onWaiting: tellWaiting }),
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
