import { type Agents, type Caller, HUMAN, type MessageView, sessionReceiver } from "@caret/protocol";
import { notQueued } from "../log/agent-store.ts";
import { assertPrompt } from "../turns/assert-prompt.ts";
import type { AgentScheduler } from "./agent-scheduler.ts";
import { forgetSecrets } from "./agent-turn-starter.ts";
import type { AgentsOptions } from "./agents-context.ts";

type SessionQueues = Pick<Agents, "queuePrompt" | "queue" | "changeQueued" | "removeQueued" | "startQueued">;

const MAX_LISTED = 1_000;

/** Prompts for after the running turn: messages to the session, or to its agent. */
export function sessionQueues(options: AgentsOptions, scheduler: AgentScheduler): SessionQueues {
  const { store, sessions } = options;

  const receiverOf = async (sessionId: string, caller: Caller) => {
    const { id, agent } = await sessions.get(sessionId, caller);
    return { sessionId: id, receiver: agent ?? sessionReceiver(id), isAgent: agent !== undefined };
  };

  const findQueued = async (sessionId: string, messageId: string, caller: Caller): Promise<MessageView> => {
    const { receiver } = await receiverOf(sessionId, caller);
    const message = await store.message(messageId);
    if (message?.to !== receiver || message.state !== "queued") throw notQueued(messageId);
    return message;
  };

  return {
    async queuePrompt(sessionId, { prompt, mode, id = options.newId() }, caller) {
      assertPrompt(prompt);
      const { receiver } = await receiverOf(sessionId, caller);
      const queued = await store.send({
        id,
        ...(caller.user === undefined ? {} : { user: caller.user }),
        from: HUMAN,
        to: receiver,
        text: prompt,
        ...modeOf(mode),
      });
      scheduler.wake(receiver);
      return queued;
    },

    async queue(sessionId, caller) {
      const { receiver } = await receiverOf(sessionId, caller);
      const prompts = await store.messages(receiver, { queued: true, limit: MAX_LISTED });
      const problem = scheduler.problemOf(receiver);
      return problem === undefined ? { prompts } : { prompts, problem };
    },

    async changeQueued(sessionId, messageId, { prompt, mode }, caller) {
      if (prompt !== undefined) assertPrompt(prompt);
      const before = await findQueued(sessionId, messageId, caller);
      return await store.edit(messageId, { text: prompt ?? before.text, ...modeOf(mode ?? before.mode) });
    },

    async removeQueued(sessionId, messageId, caller) {
      const message = await findQueued(sessionId, messageId, caller);
      await store.dropOne(messageId);
      await forgetSecrets(options, message);
      // The message behind it may now be able to start.
      scheduler.wake(message.to);
    },

    async startQueued(sessionId, caller) {
      const queue = await receiverOf(sessionId, caller);
      const [message] = await store.messages(queue.receiver, { queued: true, limit: 1 });
      if (message === undefined) throw notQueued("of this session");
      const { turnId, firstSeq } = await scheduler.begin({ ...queue, message });
      return { sessionId: queue.sessionId, turnId, firstSeq };
    },
  };
}

/** A turn without a mode runs as `agent`. */
function modeOf(mode: "agent" | "plan" | "ask" | undefined): Pick<MessageView, "mode"> {
  return mode === undefined || mode === "agent" ? {} : { mode };
}
