import { CaretError, type SessionDesk } from "@caret/protocol";
import { createDeskContext } from "./desk-context.ts";
import { sessionCommands } from "./session-commands.ts";
import type { SessionDeskOptions } from "./session-desk-options.ts";
import { sessionReaders } from "./session-readers.ts";
import { turnCommands } from "./turn-commands.ts";

export interface RuntimeSessionDesk extends SessionDesk {
  /** Ends every follower. To be called before the engine is closed. */
  close(): void;
}

/** The native door's sessions: the runtime's half of the port, over the engine and its log. */
export function createSessionDesk(options: SessionDeskOptions): RuntimeSessionDesk {
  const closing = new AbortController();
  const context = createDeskContext(options);
  // Sessions may have been deleted while no gateway ran.
  void context.attachments.sweep(context.store).catch((reason: unknown) => options.onError?.(CaretError.from(reason)));
  return {
    ...sessionCommands(context),
    ...turnCommands(context),
    ...sessionReaders(context, closing.signal),
    close() {
      context.starter.close();
      closing.abort();
    },
  };
}
