import {
  CaretError,
  HUMAN,
  type PermissionWord,
  permissionWords,
  type SandboxWord,
  sandboxWords,
  strictest,
} from "@caret/protocol";
import type { AgentsOptions } from "./agents-context.ts";

/** What an agent may do on its own. */
export interface AgentRights {
  readonly permission: PermissionWord;
  readonly sandbox: SandboxWord;
}

/** The rights of an unknown agent, such as one that was removed. */
const LEAST: AgentRights = { permission: permissionWords[0], sandbox: "strict" };

/** The most restrictive combination of all. */
export function leastOf(first: AgentRights, ...others: readonly AgentRights[]): AgentRights {
  const all = [first, ...others];
  const permission = permissionWords.find((word) => all.some((rights) => rights.permission === word));
  return { permission: permission ?? first.permission, sandbox: strictest(...all.map(({ sandbox }) => sandbox)) };
}

/** Whether one has at least the rights of the other. */
export function hasAll(one: AgentRights, other: AgentRights): boolean {
  return (
    permissionWords.indexOf(one.permission) >= permissionWords.indexOf(other.permission) &&
    sandboxWords.indexOf(one.sandbox) <= sandboxWords.indexOf(other.sandbox)
  );
}

/**
 * The rights of agents, so none can gain rights through another: a turn that begins with a message has at most the rights of its sender,
 * and takes no words of agents with fewer rights while it runs.
 */
export interface AllRights {
  /** By its settings. A person has all rights: the receiver's own settings decide. */
  of(name: string): Promise<AgentRights>;
  /** In its last turn, which may have fewer than its settings give. */
  inTurn(name: string): Promise<AgentRights>;
  /** The restrictions on a turn that begins with a message from this sender; none if the sender has all of the receiver's rights. */
  lessFor(receiver: string, sender: string): Promise<Partial<AgentRights>>;
  /** The senders whose words a running turn of the agent may take. */
  heardBy(name: string): Promise<readonly string[]>;
  /** Rejects with `forbidden` if the sender's turn has fewer rights than its settings, and the receiver would have more than that. */
  assertMaySend(from: string, to: string): Promise<void>;
}

const ALL_SEEING = { tokenName: "queue", seesAll: true } as const;

export function createAllRights({ store, sessions, engine }: AgentsOptions): AllRights {
  const of: AllRights["of"] = async (name) => {
    const agent = await store.find(name);
    if (agent === undefined) return LEAST;
    const { permission, sandbox = "off" } = await sessions.get(agent.sessionId, ALL_SEEING);
    return { permission, sandbox };
  };
  const lessFor: AllRights["lessFor"] = async (receiver, sender) => {
    if (sender === HUMAN) return {};
    const [own, others] = await Promise.all([of(receiver), of(sender)]);
    return hasAll(others, own) ? {} : leastOf(own, others);
  };
  const inTurn: AllRights["inTurn"] = async (name) => {
    const own = await of(name);
    const agent = await store.find(name);
    const session = agent && (await engine.store.getSession(agent.sessionId));
    const turnId = session?.lastTurn?.turnId;
    if (turnId === undefined) return own;
    const began = (await store.messages(name, {})).filter((message) => message.turnId === turnId);
    const senders = [...new Set(began.map(({ from }) => from).filter((from) => from !== HUMAN))];
    return leastOf(own, ...(await Promise.all(senders.map(of))));
  };
  return {
    of,
    lessFor,
    inTurn,
    async heardBy(name) {
      const own = await inTurn(name);
      const others = (await store.list()).filter((agent) => agent.name !== name);
      const rights = await Promise.all(others.map(async (agent) => ({ agent, rights: await of(agent.name) })));
      return [HUMAN, ...rights.filter((other) => hasAll(other.rights, own)).map(({ agent }) => agent.name)];
    },
    async assertMaySend(from, to) {
      if (from === HUMAN || to === HUMAN) return;
      const [own, now] = await Promise.all([of(from), inTurn(from)]);
      if (hasAll(now, own) || hasAll(now, await of(to))) return;
      throw new CaretError(
        "forbidden",
        `${to} may do more than this turn, which began with a message of an agent with less`,
        {
          fix: "Ask a person to send the message: `ask_human`.",
        },
      );
    },
  };
}
