import type { SessionDesk } from "@caret/protocol";
import { createBackgroundWork } from "../engine/background-work.ts";
import { interruptRunningTurns } from "../store/interrupt-running-turns.ts";
import { createDeskContext } from "./desk-context.ts";
import { sessionCommands } from "./session-commands.ts";
import type { SessionDeskOptions } from "./session-desk-options.ts";
import { sessionReaders } from "./session-readers.ts";
import { turnCommands } from "./turn-commands.ts";

/** How often to look for turns of processes that have died. */
const ABANDONED_MS = 5_000;

export interface RuntimeSessionDesk extends SessionDesk {
  /** No turn starts by itself from here on. */
  stopTaking(): void;
  /** Ends every follower and what is done in the background. To be called before the engine is closed. */
  close(): Promise<void>;
}

/** The native door's sessions: the runtime's half of the port, over the engine and its log. */
export function createSessionDesk(options: SessionDeskOptions): RuntimeSessionDesk {
  const closing = new AbortController();
  const context = createDeskContext(options);
  const background = createBackgroundWork(options.onError ?? (() => undefined));
  // Sessions may have been deleted while no gateway ran.
  background.run((signal) => context.attachments.sweep(context.store, signal));
  // A process that died cannot end its turns, and nobody may stop them meanwhile.
  background.every(options.abandonedMs ?? ABANDONED_MS, () => interruptRunningTurns(context.store));
  return {
    ...sessionCommands(context),
    ...turnCommands(context),
    ...sessionReaders(context, closing.signal),
    stopTaking: context.starter.close,
    async close() {
      context.starter.close();
      closing.abort();
      await background.close();
    },
  };
}
