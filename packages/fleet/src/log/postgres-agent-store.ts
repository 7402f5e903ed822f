import { HUMAN, type MessageState, type MessageView, sessionReceiver } from "@caret/protocol";
import {
  type AgentStore,
  messageTaken,
  type NewMessage,
  notQueued,
  ofSenders,
  type SenderScope,
  type UserScope,
  unknownAgent,
  unknownMessage,
} from "@caret/runtime/log/agent-store.ts";
import type { Queries } from "../database/open-database.ts";
import { agentOfSession, findAgent, listAgents } from "./agent-sql.ts";
import {
  editMessage,
  findMessage,
  findReply,
  insertMessage,
  listMessages,
  listQueued,
  listWaiting,
  type QueuePlace,
  readQueue,
  settleMessage,
} from "./message-sql.ts";

export interface PostgresAgentStoreOptions {
  /** Runs in a transaction; work about the same name runs in order. */
  readonly write: <Outcome>(about: string, work: (queries: Queries) => Promise<Outcome>) => Promise<Outcome>;
  readonly read: <Outcome>(work: (queries: Queries) => Promise<Outcome>) => Promise<Outcome>;
  /** Called when what lists show of an agent's session changes. */
  readonly touch: (sessionId: string) => void;
  /** The worker that starts queued messages. If absent, all waiting queues are listed. */
  readonly at?: QueuePlace | undefined;
  readonly now: () => number;
}

/** The agent registry and the queues, in the event log's database. */
export function createPostgresAgentStore({ write, read, touch, at, now }: PostgresAgentStoreOptions): AgentStore {
  /** Settles messages to a receiver, which may not be an agent. */
  const settle = async (to: string, work: (queries: Queries) => Promise<readonly MessageView[]>) => {
    const { agent, settled } = await write(to, async (queries) => ({
      agent: await findAgent(queries, to),
      settled: await work(queries),
    }));
    if (agent !== undefined && settled.length > 0) touch(agent.sessionId);
    return settled;
  };
  const settleAll = (to: string, state: SettledState, turnId?: string, scope?: UserScope & SenderScope) =>
    settle(to, async (queries) => {
      const queued = await listQueued(queries, to, { lock: "for update", scope });
      return await Promise.all(ofSenders(queued, scope).map((message) => settledAs(queries, message, state, turnId)));
    });
  /** Changes a queued message; `work` returns whether it still was. */
  const changeQueued = async (id: string, work: (queries: Queries) => Promise<boolean>): Promise<MessageView> => {
    const { sessionId, message } = await write(`message ${id}`, async (queries) => {
      const changed = (await work(queries)) ? await findMessage(queries, id) : undefined;
      if (changed === undefined) throw notQueued(id);
      return { sessionId: await sessionOf(queries, changed.to), message: changed };
    });
    if (sessionId !== undefined) touch(sessionId);
    return message;
  };
  return {
    ...agentRegistry({ write, read, touch }),

    async send(message) {
      const { touched, sent } = await write(message.to, async (queries) => ({
        // A person has no session: show the message with its sender's.
        touched: await sessionOf(queries, message.to === HUMAN ? message.from : message.to),
        sent: await sendIn(queries, message, now()),
      }));
      if (touched !== undefined) touch(touched);
      return sent;
    },
    message: (id) => read((queries) => findMessage(queries, id)),
    messages: (to, query) => read((queries) => listMessages(queries, to, query)),
    async take(id) {
      const { sender, taken } = await write(`message ${id}`, async (queries) => {
        const message = await findMessage(queries, id);
        if (message?.state !== "queued") return { sender: undefined, taken: message };
        const sent = await findAgent(queries, message.from);
        return { sender: sent, taken: await settledAs(queries, message, "read", undefined) };
      });
      if (sender !== undefined) touch(sender.sessionId);
      return taken;
    },
    takeAll: (to, turnId, scope) => settleAll(to, "read", turnId, scope),
    async takeReply(messageId, turnId, scope) {
      const asked = await read((queries) => findMessage(queries, messageId));
      if (asked === undefined) throw unknownMessage(messageId);
      const [reply] = await settle(asked.from, async (queries) => {
        const found = await findReply(queries, asked, scope?.senders);
        if (found === undefined) return [];
        return [found.state === "queued" ? await settledAs(queries, found, "read", turnId) : found];
      });
      return reply;
    },
    async rewrite(id, text) {
      const sql = "update messages set text = $1 where id = $2 and state <> 'queued'";
      await write(`message ${id}`, (queries) => queries.query(sql, [text, id]));
    },
    drop: (to) => settleAll(to, "dropped"),
    edit: (id, changes) => changeQueued(id, (queries) => editMessage(queries, id, changes, now())),
    dropOne: (id) =>
      changeQueued(id, (queries) => settleMessage(queries, id, "dropped", undefined)).then(() => undefined),
    queueOf: (to) => read((queries) => readQueue(queries, to)),
    waiting: () => read((queries) => listWaiting(queries, at)),
  };
}

type Registry = Pick<AgentStore, "find" | "ofSession" | "list" | "suspend" | "report" | "setUserServers" | "remove">;

function agentRegistry({ write, read, touch }: Pick<PostgresAgentStoreOptions, "write" | "read" | "touch">): Registry {
  /** Changes an agent. Each statement gets its name as first value. */
  const change = async (name: string, statements: readonly Statement[]): Promise<void> => {
    const agent = await write(name, async (queries) => {
      const found = await findAgent(queries, name);
      if (found === undefined) throw unknownAgent(name);
      for (const [sql, ...values] of statements) await queries.query(sql, [name, ...values]);
      return found;
    });
    touch(agent.sessionId);
  };
  return {
    find: (name) => read((queries) => findAgent(queries, name)),
    ofSession: (sessionId) => read((queries) => agentOfSession(queries, sessionId)),
    list: () => read(listAgents),
    suspend: (name, suspension) => change(name, [[suspendSql, suspension?.since ?? null, suspension?.why ?? null]]),
    report: (name, { text, at }) => change(name, [[reportSql, text, at]]),
    setUserServers: (name, userServers) =>
      change(name, [["update agents set user_servers = $2 where name = $1", userServers]]),
    remove: (name) =>
      change(name, [["delete from messages where receiver = $1"], ["delete from agents where name = $1"]]),
  };
}

type Statement = readonly [sql: string, ...values: readonly unknown[]];
type SettledState = Extract<MessageState, "read" | "dropped">;

const suspendSql = "update agents set suspended_at = $2, suspended_why = $3 where name = $1";
const reportSql = "update agents set report = $2, report_at = $3 where name = $1";

/** The session that a receiver or sender is shown with. */
async function sessionOf(queries: Queries, name: string): Promise<string | undefined> {
  const [, ofItsOwn] = name.split(sessionReceiver(""));
  return ofItsOwn ?? (await findAgent(queries, name))?.sessionId;
}

async function sendIn(queries: Queries, message: NewMessage, at: number): Promise<MessageView> {
  const { isNew, kept } = await insertMessage(queries, message, at);
  if (kept === undefined) throw messageTaken(message.id);
  if (isNew && message.from === HUMAN && message.replyTo !== undefined) {
    const answered = await findMessage(queries, message.replyTo);
    if (answered?.to === HUMAN) await settleMessage(queries, answered.id, "read", undefined);
  }
  return kept;
}

/** If another transaction was first, returns the message as that left it. */
async function settledAs(
  queries: Queries,
  message: MessageView,
  state: SettledState,
  turnId: string | undefined,
): Promise<MessageView> {
  if (!(await settleMessage(queries, message.id, state, turnId)))
    return (await findMessage(queries, message.id)) ?? message;
  return { ...message, state, ...(turnId === undefined ? {} : { turnId }) };
}
