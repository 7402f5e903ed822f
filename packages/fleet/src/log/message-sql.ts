import { type MessageQuery, type MessageState, type MessageView, sessionReceiver } from "@caret/protocol";
import type {
  MessageChanges,
  NewMessage,
  QueueState,
  UserScope,
  WaitingQueue,
} from "@caret/runtime/log/agent-store.ts";
import { digestOf, notWaiting, toMessage, toMessages, toWaitingQueues } from "@caret/runtime/log/rows/agent-rows.ts";
import type { Queries } from "../database/open-database.ts";
import { isThereSql } from "../members/members.ts";
import { userSql } from "./scope-sql.ts";

const DEFAULT_LIMIT = 100;

/**
 * Receivers that just had a turn come after those that wait, however old their next message is. Skips receivers that are neither an agent
 * nor a session, such as a person.
 */
const waitingSql = (isElsewhere: string, isHere: string): string => `
  select sessions.id as session_id, agents.name is not null as is_agent,
    agents.name is null and coalesce(sessions.last_outcome, 'completed') <> 'completed' or ${isElsewhere} as is_held, head.*
  from (select receiver, min(number) as first from messages where state = 'queued' group by receiver) as queue
  join messages as head on head.number = queue.first
  left join agents on agents.name = queue.receiver
  join sessions on sessions.id = coalesce(agents.session_id, substr(queue.receiver, ${sessionReceiver("").length + 1}))
  where agents.suspended_at is null and sessions.hidden is null
    and ${isHere} and (agents.name is not null or queue.receiver = '${sessionReceiver("")}' || sessions.id)
  order by greatest(head.at, coalesce(sessions.last_turn_at, 0)), coalesce(sessions.last_turn_at, 0), head.number
`;

export async function findMessage(queries: Queries, id: string): Promise<MessageView | undefined> {
  return toMessage((await queries.query("select * from messages where id = $1", [id])).rows[0]);
}

/** The stored message; undefined if a different one has its id. `isNew`: it did not exist before. */
export async function insertMessage(
  queries: Queries,
  message: NewMessage,
  at: number,
): Promise<{ readonly isNew: boolean; readonly kept: MessageView | undefined }> {
  const { id, user, from, to, text, replyTo, mode } = message;
  const digest = digestOf(message);
  const { count } = await queries.query(
    `insert into messages (id, sender, receiver, text, digest, reply_to, mode, state, at, user_name)
     values ($1, $2, $3, $4, $5, $6, $7, 'queued', $8, $9) on conflict (id) do nothing`,
    [id, from, to, text, digest, replyTo ?? null, mode ?? null, at, user ?? null],
  );
  const { rows } = await queries.query("select * from messages where id = $1 and digest = $2", [id, digest]);
  return { isNew: count === 1, kept: toMessage(rows[0]) };
}

/** The newest `limit` messages, oldest first; if `queued`, the oldest ones waiting. */
export async function listMessages(
  queries: Queries,
  to: string,
  { queued = false, limit = DEFAULT_LIMIT, ...scope }: MessageQuery & UserScope,
): Promise<readonly MessageView[]> {
  if (queued) return (await listQueued(queries, to, { scope })).slice(0, limit);
  const sql = `select * from messages where receiver = $1 and ${userSql("$3", scope)} order by number desc limit $2`;
  return (await queries.query(sql, [to, limit, scope.user ?? null])).rows.toReversed().flatMap(toMessages);
}

/** With a `lock`, the rows stay locked until the transaction ends. */
export async function listQueued(
  queries: Queries,
  to: string,
  { lock = "", scope = {} }: { readonly lock?: string; readonly scope?: UserScope | undefined } = {},
): Promise<readonly MessageView[]> {
  const of = userSql("$2", scope);
  const sql = `select * from messages where receiver = $1 and state = 'queued' and ${of} order by number ${lock}`;
  return (await queries.query(sql, [to, scope.user ?? null])).rows.flatMap(toMessages);
}

/** The first answer to a message that went to its sender. */
export async function findReply(
  queries: Queries,
  { id, from }: MessageView,
  senders?: readonly string[],
): Promise<MessageView | undefined> {
  const ofThem = "($3::text is null or sender in (select jsonb_array_elements_text($3::text::jsonb)))";
  const sql = `select * from messages where reply_to = $1 and receiver = $2 and ${ofThem} order by number limit 1`;
  const values = [id, from, senders === undefined ? null : JSON.stringify(senders)];
  return toMessage((await queries.query(sql, values)).rows[0]);
}

/** Returns whether it was still queued. */
export async function settleMessage(
  queries: Queries,
  id: string,
  state: Exclude<MessageState, "queued">,
  turnId: string | undefined,
): Promise<boolean> {
  const sql = "update messages set state = $1, turn_id = $2 where id = $3 and state = 'queued'";
  return (await queries.query(sql, [state, turnId ?? null, id])).count === 1;
}

/** Takes it from its queue for a turn that begins with it. Throws `session-busy` if it is not queued. */
export async function deliverMessage(queries: Queries, id: string, turnId: string): Promise<void> {
  if (!(await settleMessage(queries, id, "started", turnId))) throw notWaiting(id);
}

export async function readQueue(queries: Queries, to: string): Promise<QueueState> {
  const sql = "select count(*) as count, min(at) as since from messages where receiver = $1 and state = 'queued'";
  const [row] = (await queries.query(sql, [to])).rows;
  const since = row?.["since"] ?? null;
  return { count: Number(row?.["count"]), since: since === null ? undefined : Number(since) };
}

/** The fleet worker that starts queued messages. */
export interface QueuePlace {
  readonly machine: string;
  readonly owner: string;
}

/**
 * Queues whose sessions are on this worker's machine. Only the machine's first worker by name starts them, or all would try. If two do try,
 * the session's lease and the message's state still allow only one start. A session that another worker of the machine has is held until it
 * is free.
 */
const waitingAtSql = waitingSql(
  "coalesce(sessions.owner <> $2, false)",
  `sessions.home_machine = $1 and not exists (
     select 1 from members where role = 'worker' and machine = $1 and id < $2 and not is_leaving and ${isThereSql}
       and (about->>'takesAgents')::boolean
   )`,
);

export async function listWaiting(queries: Queries, at?: QueuePlace): Promise<readonly WaitingQueue[]> {
  const { rows } =
    at === undefined
      ? await queries.query(waitingSql("false", "true"))
      : await queries.query(waitingAtSql, [at.machine, at.owner], "list waiting queues");
  return rows.flatMap(toWaitingQueues);
}

/** Returns whether it was still queued. */
export async function editMessage(
  queries: Queries,
  id: string,
  { text, mode }: MessageChanges,
  at: number,
): Promise<boolean> {
  const sql = "update messages set text = $1, mode = $2, at = $3 where id = $4 and state = 'queued'";
  return (await queries.query(sql, [text, mode ?? null, at, id])).count === 1;
}
