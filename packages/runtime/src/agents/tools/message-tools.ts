import { CaretError, HUMAN, type MessageView } from "@caret/protocol";
import type { Tool } from "../../tools/tool.ts";
import { type AgentIdentity, agentTool, shownAgent, text } from "./agent-tool.ts";

const DEFAULT_WAIT_S = 50;
/** Longer than a person looks away; waiting costs a turn only its process. */
const MAX_WAIT_S = 3_600;

const message = { ...text, description: "The id of the message." };
const wait = {
  type: "number",
  minimum: 0,
  maximum: MAX_WAIT_S,
  description: `How long to wait, in seconds; ${DEFAULT_WAIT_S} by default. The answer may be asked for again.`,
};

/** The tools by which agents talk to each other. */
export function messageTools({ agents, name, caller }: AgentIdentity): readonly Tool[] {
  return [
    agentTool({
      name: "list_agents",
      description: "Lists the other agents: what each does now, and what it said last about its work.",
      properties: {},
      async run() {
        const others = (await agents.list(caller)).filter((agent) => agent.name !== name);
        return toText({ you: name, agents: others.map(shownAgent) });
      },
    }),
    agentTool<{ readonly to: string; readonly text: string; readonly reply_to?: string }>({
      name: "send_message",
      description: `Sends a message to another agent, or to \`${HUMAN}\`. An agent that does nothing begins to work with it; the others find it in their inbox.`,
      properties: { to: text, text, reply_to: { ...text, description: "The message that this one answers." } },
      required: ["to", "text"],
      async run({ to, text: words, reply_to: replyTo }) {
        if (to === name) throw new CaretError("invalid-request", "A message to yourself would wait for ever");
        const wanted = { text: words, ...(replyTo === undefined ? {} : { replyTo }) };
        const { id, state } = await agents.send(to, wanted, caller, name);
        return toText({ message: id, to, state });
      },
    }),
    agentTool({
      name: "read_inbox",
      description: "Takes the messages that wait for you, oldest first. Each is given once.",
      properties: {},
      run: async () => toText({ messages: (await agents.readInbox(name, caller)).map(shownMessage) }),
    }),
    agentTool<{ readonly message: string; readonly wait_seconds?: number }>({
      name: "wait_for_reply",
      description: "Waits for the answer to a message that you have sent.",
      properties: { message, wait_seconds: wait },
      required: ["message"],
      timeLimitMs: (MAX_WAIT_S + 60) * 1000,
      async run({ message: id, wait_seconds: seconds = DEFAULT_WAIT_S }, signal) {
        const { from } = await agents.message(id, caller);
        if (from !== name) throw new CaretError("invalid-request", `The message ${id} is not yours`);
        return await reply({ agents, name, caller }, id, seconds, signal);
      },
    }),
    agentTool<{ readonly text: string }>({
      name: "report_status",
      description: "Says in a sentence how your work stands. People and other agents see it in the list of agents.",
      properties: { text: { ...text, maxLength: 500 } },
      required: ["text"],
      async run({ text: words }) {
        await agents.reportStatus(name, words, caller);
        return "It is shown.";
      },
    }),
    agentTool<{ readonly question: string; readonly wait_seconds?: number }>({
      name: "ask_human",
      description:
        "Asks a person something that you cannot find out and that is theirs to decide, and waits for the answer.",
      properties: { question: text, wait_seconds: wait },
      required: ["question"],
      timeLimitMs: (MAX_WAIT_S + 60) * 1000,
      async run({ question, wait_seconds: seconds = DEFAULT_WAIT_S }, signal) {
        const { id } = await agents.send(HUMAN, { text: question }, caller, name);
        return await reply({ agents, name, caller }, id, seconds, signal);
      },
    }),
  ];
}

/** A timeout is a regular result: the agent may do something else in the meantime. */
async function reply(
  { agents, caller }: AgentIdentity,
  id: string,
  seconds: number,
  signal: AbortSignal,
): Promise<string> {
  const late = AbortSignal.timeout(seconds * 1000);
  try {
    const found = await agents.waitForReply(id, { signal: AbortSignal.any([signal, late]) }, caller);
    return toText(shownMessage(found));
  } catch (reason) {
    if (!late.aborted || signal.aborted) throw reason;
    return toText({
      message: id,
      reply: null,
      next: "There is no answer yet. Call wait_for_reply with this message later.",
    });
  }
}

function shownMessage({ id, from, text: words, replyTo, at }: MessageView): object {
  return { message: id, from, text: words, ...(replyTo === undefined ? {} : { reply_to: replyTo }), at };
}

function toText(value: object): string {
  return JSON.stringify(value, undefined, 2);
}
