import { type MessageView, sessionReceiver } from "@caret/protocol";
import { type AgentStore, notQueued } from "../agent-store.ts";
import type { LogTables } from "./log-tables.ts";
import type { SqliteAgentStoreOptions } from "./sqlite-agent-store.ts";

type QueuedMessages = Pick<AgentStore, "edit" | "dropOne">;

/** Changes to waiting messages. */
export function queuedMessages({ write, touch, now }: Omit<SqliteAgentStoreOptions, "read">): QueuedMessages {
  const change = async (id: string, work: (tables: LogTables) => boolean): Promise<MessageView> => {
    const { sessionId, message } = await write(1, (tables) => {
      const changed = work(tables) ? tables.messages.find(id) : undefined;
      if (changed === undefined) throw notQueued(id);
      return { sessionId: sessionOf(tables, changed.to), message: changed };
    });
    if (sessionId !== undefined) touch(sessionId);
    return message;
  };
  return {
    edit: (id, changes) => change(id, ({ messages }) => messages.edit(id, changes, now())),
    async dropOne(id) {
      await change(id, ({ messages }) => {
        const isQueued = messages.find(id)?.state === "queued";
        if (isQueued) messages.settle(id, "dropped", undefined);
        return isQueued;
      });
    },
  };
}

/** The session with which a receiver or sender is shown. */
export function sessionOf({ agents }: LogTables, name: string): string | undefined {
  const [, ofItsOwn] = name.split(sessionReceiver(""));
  return ofItsOwn ?? agents.find(name)?.sessionId;
}
