import type { DatabaseSync } from "node:sqlite";
import { type MessageQuery, type MessageState, type MessageView, sessionReceiver } from "@caret/protocol";
import type { MessageChanges, NewMessage, QueueState, UserScope, WaitingQueue } from "../agent-store.ts";
import { digestOf, notWaiting, toMessage, toMessages, toWaitingQueues } from "../rows/agent-rows.ts";
import { userParameters, userSql } from "./scope-filter.ts";

const DEFAULT_LIMIT = 100;

export interface MessageTable {
  find(id: string): MessageView | undefined;
  insert(message: NewMessage, at: number): void;
  /** Whether the message stored under its id is this very message. */
  isKnown(message: NewMessage): boolean;
  /** Replaces the text of a delivered message. */
  rewrite(id: string, text: string): void;
  /** The newest messages up to the limit, oldest first. */
  list(to: string, query: MessageQuery & UserScope): readonly MessageView[];
  queued(to: string, scope?: UserScope): readonly MessageView[];
  /** The first answer to a message, addressed to its sender. */
  reply(message: MessageView, senders?: readonly string[]): MessageView | undefined;
  /** Throws `session-busy` unless the message is queued. */
  assertQueued(id: string): void;
  /** Returns whether it was queued. */
  edit(id: string, changes: MessageChanges, at: number): boolean;
  settle(id: string, state: Exclude<MessageState, "queued">, turnId: string | undefined): void;
  queueOf(to: string): QueueState;
  waiting(): readonly WaitingQueue[];
  removeTo(to: string): void;
}

/**
 * Queues that just had a turn come after those that wait, however old their next message is. Receivers that are neither an agent nor a
 * session are excluded, such as messages to a person.
 */
const waitingSql = `
  select session.id as session_id, agent.name is not null as is_agent,
    agent.name is null and coalesce(session.last_outcome, 'completed') <> 'completed' as is_held, head.*
  from (select receiver, min(number) as first from message where state = 'queued' group by receiver) as queue
  join message as head on head.number = queue.first
  left join agent on agent.name = queue.receiver
  join session on session.id = coalesce(agent.session_id, substr(queue.receiver, ${sessionReceiver("").length + 1}))
  where agent.suspended_at is null and session.hidden is null
    and (agent.name is not null or queue.receiver = '${sessionReceiver("")}' || session.id)
  order by max(head.at, coalesce(session.last_turn_at, 0)), coalesce(session.last_turn_at, 0), head.number
`;

export function createMessageTable(database: DatabaseSync): MessageTable {
  const find = database.prepare("select * from message where id = ?");
  const insert = database.prepare(
    `insert into message (id, sender, receiver, text, digest, reply_to, mode, state, at, user_name)
     values (?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?)`,
  );
  const newest = database.prepare(
    `select * from message where receiver = $to and ${userSql} order by number desc limit $limit`,
  );
  const oldestQueued = database.prepare(
    `select * from message where receiver = $to and state = 'queued' and ${userSql} order by number limit $limit`,
  );
  const reply = database.prepare(`select * from message where reply_to = $id and receiver = $to
     and ($senders is null or sender in (select value from json_each($senders))) order by number limit 1`);
  const settle = database.prepare("update message set state = ?, turn_id = ? where id = ? and state = 'queued'");
  const edit = database.prepare("update message set text = ?, mode = ?, at = ? where id = ? and state = 'queued'");
  const rewrite = database.prepare("update message set text = ? where id = ? and state <> 'queued'");
  const queue = database.prepare(
    "select count(*) as count, min(at) as since from message where receiver = ? and state = 'queued'",
  );
  const waiting = database.prepare(waitingSql);
  const removeTo = database.prepare("delete from message where receiver = ?");
  return {
    find: (id) => toMessage(find.get(id)),
    insert(message, at) {
      const { id, user, from, to, text, replyTo, mode } = message;
      insert.run(id, from, to, text, digestOf(message), replyTo ?? null, mode ?? null, at, user ?? null);
    },
    isKnown: (message) => find.get(message.id)?.["digest"] === digestOf(message),
    rewrite: (id, text) => void rewrite.run(text, id),
    list(to, { queued = false, limit = DEFAULT_LIMIT, ...scope }) {
      const wanted = { $to: to, $limit: limit, ...userParameters(scope) };
      return (queued ? oldestQueued.all(wanted) : newest.all(wanted).reverse()).flatMap(toMessages);
    },
    queued: (to, scope = {}) => oldestQueued.all({ $to: to, $limit: -1, ...userParameters(scope) }).flatMap(toMessages),
    reply: ({ id, from }, senders) =>
      toMessage(reply.get({ $id: id, $to: from, $senders: senders === undefined ? null : JSON.stringify(senders) })),
    assertQueued(id) {
      if (toMessage(find.get(id))?.state !== "queued") throw notWaiting(id);
    },
    edit: (id, { text, mode }, at) => edit.run(text, mode ?? null, at, id).changes > 0,
    settle: (id, state, turnId) => void settle.run(state, turnId ?? null, id),
    queueOf(to) {
      const row = queue.get(to);
      const since = row?.["since"] ?? null;
      return { count: Number(row?.["count"]), since: since === null ? undefined : Number(since) };
    },
    waiting: () => waiting.all().flatMap(toWaitingQueues),
    removeTo: (to) => void removeTo.run(to),
  };
}
