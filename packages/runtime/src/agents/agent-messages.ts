import { type Agents, type Caller, CaretError, HUMAN, type MessageView } from "@caret/protocol";
import { untilAborted } from "../async/until-aborted.ts";
import type { SenderScope, UserScope } from "../log/agent-store.ts";
import { isOfUser, scopeOf } from "../sessions/session-directories.ts";
import { assertPrompt } from "../turns/assert-prompt.ts";
import { type AllRights, createAllRights } from "./agent-rights.ts";
import type { AgentScheduler } from "./agent-scheduler.ts";
import { forgetSecrets } from "./agent-turn-starter.ts";
import type { AgentViews } from "./agent-views.ts";
import type { AgentsOptions } from "./agents-context.ts";

type AgentMessages = Pick<Agents, "send" | "messages" | "message" | "putAside" | "readInbox" | "waitForReply">;

/** The queues: what is put into them, and what agents take from them during a turn. */
export function agentMessages(options: AgentsOptions, views: AgentViews, scheduler: AgentScheduler): AgentMessages {
  const { store, engine } = options;
  const rights = createAllRights(options);
  /** Called after each sent message. */
  const waiters = new Set<() => void>();

  /** The turn during which the agent takes a message. */
  const turnOf = async (name: string): Promise<string | undefined> => {
    const agent = await store.find(name);
    return agent && engine.runningTurn(agent.sessionId)?.turnId;
  };

  const taken = async (message: MessageView): Promise<MessageView> => {
    await forgetSecrets(options, message);
    return message;
  };

  /** Rejects with `not-found` even if the message exists but is not visible to this caller. */
  const known = async (id: string, caller: Caller): Promise<MessageView> => {
    const message = await store.message(id);
    if (message === undefined || !isOfUser(message, scopeOf(caller)))
      throw new CaretError("not-found", `There is no message ${id}`);
    return message;
  };

  return {
    async send(to, { text, id = options.newId(), replyTo }, caller, from = HUMAN) {
      assertPrompt(text);
      if (to !== HUMAN) await views.find(to, caller);
      await rights.assertMaySend(from, to);
      if (replyTo !== undefined) await known(replyTo, caller);
      const sent = await store.send({
        id,
        ...(caller.user === undefined ? {} : { user: caller.user }),
        from,
        to,
        text,
        ...(replyTo === undefined ? {} : { replyTo }),
      });
      for (const wake of [...waiters]) wake();
      scheduler.wake(to);
      return sent;
    },

    async messages(to, query, caller) {
      if (to !== HUMAN) await views.find(to, caller);
      return await store.messages(to, { ...query, ...usersOf(to, caller) });
    },

    async message(id, caller) {
      const message = await known(id, caller);
      if (message.to !== HUMAN) await views.find(message.to, caller);
      return message;
    },

    async putAside(id, caller) {
      const { to, from } = await known(id, caller);
      if (to !== HUMAN) throw new CaretError("invalid-request", `The message ${id} is to an agent, not to a person`);
      if (from !== HUMAN) await views.find(from, caller);
      return (await store.take(id)) ?? (await known(id, caller));
    },

    async readInbox(to, caller) {
      if (to !== HUMAN) await views.find(to, caller);
      // Messages of agents with fewer rights wait: they start turns of their own, limited to the sender's rights.
      const scope = { ...usersOf(to, caller), ...(await heard(rights, to)) };
      return await Promise.all((await store.takeAll(to, await turnOf(to), scope)).map(taken));
    },

    async waitForReply(messageId, { signal }, caller) {
      const { from } = await known(messageId, caller);
      if (from !== HUMAN) await views.find(from, caller);
      return await scheduler.away(from, async () => {
        for (;;) {
          const { promise, resolve } = Promise.withResolvers<void>();
          // Subscribe before looking, so no answer in between is missed.
          waiters.add(resolve);
          const end = options.elsewhere?.onAnnounced(resolve);
          try {
            const reply = await store.takeReply(messageId, await turnOf(from), await heard(rights, from));
            if (reply !== undefined) return await taken(reply);
            await untilAborted(promise, signal);
          } finally {
            waiters.delete(resolve);
            end?.();
          }
        }
      });
    },
  };
}

/** The senders whose words it may get now: a person reads everyone's. */
async function heard(rights: AllRights, name: string): Promise<SenderScope> {
  return name === HUMAN ? {} : { senders: await rights.heardBy(name) };
}

/** Restricts messages to `human` to this caller's. Any other receiver is one agent, which the caller either sees or does not. */
function usersOf(to: string, caller: Caller): UserScope {
  const { user } = scopeOf(caller);
  return to === HUMAN && user !== undefined ? { user } : {};
}
