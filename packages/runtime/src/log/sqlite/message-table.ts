import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { CaretError, type MessageQuery, type MessageState, type MessageView, messageStates } from "@caret/protocol";
import type { NewMessage, QueueState, WaitingAgent } from "../agent-store.ts";
import type { Row } from "./open-database.ts";

const DEFAULT_LIMIT = 100;

export interface MessageTable {
  find(id: string): MessageView | undefined;
  insert(message: NewMessage, at: number): void;
  /** Whether the one that is kept under its id is this very message. */
  isKnown(message: NewMessage): boolean;
  /** Keep other words of a message that its receiver has. */
  rewrite(id: string, text: string): void;
  /** The newest so many, oldest first. */
  list(to: string, query: MessageQuery): readonly MessageView[];
  queued(to: string): readonly MessageView[];
  /** The first answer to a message, to its sender. */
  reply(message: MessageView): MessageView | undefined;
  /** Throws `session-busy` unless it waits in its queue. */
  assertQueued(id: string): void;
  settle(id: string, state: Exclude<MessageState, "queued">, turnId: string | undefined): void;
  queueOf(to: string): QueueState;
  waiting(): readonly WaitingAgent[];
  removeTo(to: string): void;
}

/** Agents that just had a turn stand behind those that wait, however old their next message is. */
const waitingSql = `
  select agent.name, agent.session_id, head.*
  from agent
  join (select receiver, min(number) as first from message where state = 'queued' group by receiver) as queue
    on queue.receiver = agent.name
  join message as head on head.number = queue.first
  join session on session.id = agent.session_id
  where agent.suspended_at is null
  order by max(head.at, coalesce(session.last_turn_at, 0)), head.number
`;

export function createMessageTable(database: DatabaseSync): MessageTable {
  const find = database.prepare("select * from message where id = ?");
  const insert = database.prepare(
    "insert into message (id, sender, receiver, text, digest, reply_to, state, at) values (?, ?, ?, ?, ?, ?, 'queued', ?)",
  );
  const newest = database.prepare("select * from message where receiver = ? order by number desc limit ?");
  const oldestQueued = database.prepare(
    "select * from message where receiver = ? and state = 'queued' order by number limit ?",
  );
  const reply = database.prepare("select * from message where reply_to = ? and receiver = ? order by number limit 1");
  const settle = database.prepare("update message set state = ?, turn_id = ? where id = ? and state = 'queued'");
  const rewrite = database.prepare("update message set text = ? where id = ? and state <> 'queued'");
  const queue = database.prepare(
    "select count(*) as count, min(at) as since from message where receiver = ? and state = 'queued'",
  );
  const waiting = database.prepare(waitingSql);
  const removeTo = database.prepare("delete from message where receiver = ?");
  return {
    find: (id) => toMessage(find.get(id)),
    insert(message, at) {
      const { id, from, to, text, replyTo } = message;
      insert.run(id, from, to, text, digestOf(message), replyTo ?? null, at);
    },
    isKnown: (message) => find.get(message.id)?.["digest"] === digestOf(message),
    rewrite: (id, text) => void rewrite.run(text, id),
    list: (to, { queued = false, limit = DEFAULT_LIMIT }) =>
      queued ? oldestQueued.all(to, limit).flatMap(toMessages) : newest.all(to, limit).reverse().flatMap(toMessages),
    queued: (to) => oldestQueued.all(to, -1).flatMap(toMessages),
    reply: ({ id, from }) => toMessage(reply.get(id, from)),
    assertQueued(id) {
      if (toMessage(find.get(id))?.state !== "queued")
        throw new CaretError("session-busy", `The message ${id} does not wait in its queue any more`);
    },
    settle: (id, state, turnId) => void settle.run(state, turnId ?? null, id),
    queueOf(to) {
      const row = queue.get(to);
      const since = row?.["since"] ?? null;
      return { count: Number(row?.["count"]), since: since === null ? undefined : Number(since) };
    },
    waiting: () =>
      waiting.all().flatMap((row) =>
        toMessages(row).map((message) => ({
          name: String(row["name"]),
          sessionId: String(row["session_id"]),
          message,
        })),
      ),
    removeTo: (to) => void removeTo.run(to),
  };
}

function digestOf({ from, to, text, replyTo }: NewMessage): string {
  return createHash("sha256")
    .update(JSON.stringify([from, to, text, replyTo]))
    .digest("base64url");
}

function toMessages(row: Row): readonly MessageView[] {
  const message = toMessage(row);
  return message === undefined ? [] : [message];
}

function toMessage(row: Row | undefined): MessageView | undefined {
  if (row === undefined) return undefined;
  const { reply_to: replyTo, turn_id: turnId } = row;
  return {
    id: String(row["id"]),
    from: String(row["sender"]),
    to: String(row["receiver"]),
    text: String(row["text"]),
    ...(replyTo === null ? {} : { replyTo: String(replyTo) }),
    // A state that another release knew is over for this one: nothing is started a second time.
    state: messageStates.find((state) => state === row["state"]) ?? "read",
    at: Number(row["at"]),
    ...(turnId === null ? {} : { turnId: String(turnId) }),
  };
}
