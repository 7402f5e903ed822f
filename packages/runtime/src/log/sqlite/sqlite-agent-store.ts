import { HUMAN, type MessageView } from "@caret/protocol";
import {
  type AgentRecord,
  type AgentStore,
  messageTaken,
  type NewMessage,
  ofSenders,
  unknownAgent,
  unknownMessage,
} from "../agent-store.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { LogTables } from "./log-tables.ts";
import { queuedMessages, sessionOf } from "./queued-messages.ts";

export interface SqliteAgentStoreOptions {
  readonly write: GroupCommit["run"];
  readonly read: <Result>(work: (tables: LogTables) => Result) => Promise<Result>;
  /** Called when the list entry of an agent's session has changed. */
  readonly touch: (sessionId: string) => void;
  readonly now: () => number;
}

/** The registry and the queues, on the event log's connection and in its group commits. */
export function createSqliteAgentStore({ write, read, touch, now }: SqliteAgentStoreOptions): AgentStore {
  /** Changes an agent or something that belongs to it. */
  const change = async <Result>(name: string, work: (tables: LogTables) => Result): Promise<Result> => {
    const { agent, result } = await write(1, (tables) => {
      const found = known(tables, name);
      return { agent: found, result: work(tables) };
    });
    touch(agent.sessionId);
    return result;
  };
  /** Settles messages to a receiver that may not be an agent. */
  const settle = async (to: string, work: (tables: LogTables) => readonly MessageView[]) => {
    const { agent, settled } = await write(1, (tables) => ({ agent: tables.agents.find(to), settled: work(tables) }));
    if (agent !== undefined && settled.length > 0) touch(agent.sessionId);
    return settled;
  };
  return {
    find: (name) => read(({ agents }) => agents.find(name)),
    ofSession: (sessionId) => read(({ agents }) => agents.ofSession(sessionId)),
    list: () => read(({ agents }) => agents.list()),
    suspend: (name, suspension) => change(name, ({ agents }) => agents.suspend(name, suspension)),
    report: (name, report) => change(name, ({ agents }) => agents.report(name, report)),
    setUserServers: (name, userServers) => change(name, ({ agents }) => agents.setUserServers(name, userServers)),
    remove: (name) =>
      change(name, ({ agents, messages }) => {
        messages.removeTo(name);
        agents.remove(name);
      }),

    async send(message) {
      const { touched, sent } = await write(1, (tables) => ({
        // A person has no session: a message to one is shown with its sender's.
        touched: sessionOf(tables, message.to === HUMAN ? message.from : message.to),
        sent: sendIn(tables, message, now()),
      }));
      if (touched !== undefined) touch(touched);
      return sent;
    },
    message: (id) => read(({ messages }) => messages.find(id)),
    messages: (to, query) => read(({ messages }) => messages.list(to, query)),
    async take(id) {
      const { sender, taken } = await write(1, (tables) => {
        const message = tables.messages.find(id);
        if (message?.state !== "queued") return { sender: undefined, taken: message };
        return {
          sender: tables.agents.find(message.from),
          taken: settled(tables.messages, message, "read", undefined),
        };
      });
      if (sender !== undefined) touch(sender.sessionId);
      return taken;
    },
    takeAll: (to, turnId, scope) =>
      settle(to, ({ messages }) =>
        ofSenders(messages.queued(to, scope), scope).map((message) => settled(messages, message, "read", turnId)),
      ),
    async takeReply(messageId, turnId, scope) {
      const asked = await read(({ messages }) => messages.find(messageId));
      if (asked === undefined) throw unknownMessage(messageId);
      const [reply] = await settle(asked.from, ({ messages }) => {
        const found = messages.reply(asked, scope?.senders);
        if (found === undefined) return [];
        return [found.state === "queued" ? settled(messages, found, "read", turnId) : found];
      });
      return reply;
    },
    rewrite: (id, text) => write(1, ({ messages }) => messages.rewrite(id, text), { isPatient: true }),
    drop: (to) =>
      settle(to, ({ messages }) =>
        messages.queued(to).map((message) => settled(messages, message, "dropped", undefined)),
      ),
    ...queuedMessages({ write, touch, now }),
    queueOf: (to) => read(({ messages }) => messages.queueOf(to)),
    waiting: () => read(({ messages }) => messages.waiting()),
  };
}

function known({ agents }: LogTables, name: string): AgentRecord {
  const agent = agents.find(name);
  if (agent === undefined) throw unknownAgent(name);
  return agent;
}

function sendIn({ messages }: LogTables, message: NewMessage, at: number): MessageView {
  const before = messages.find(message.id);
  if (before === undefined) {
    messages.insert(message, at);
    const answered =
      message.from === HUMAN && message.replyTo !== undefined ? messages.find(message.replyTo) : undefined;
    if (answered?.to === HUMAN) messages.settle(answered.id, "read", undefined);
    return { ...message, state: "queued", at };
  }
  if (messages.isKnown(message)) return before;
  throw messageTaken(message.id);
}

function settled(
  messages: LogTables["messages"],
  message: MessageView,
  state: "read" | "dropped",
  turnId: string | undefined,
): MessageView {
  messages.settle(message.id, state, turnId);
  return { ...message, state, ...(turnId === undefined ? {} : { turnId }) };
}
