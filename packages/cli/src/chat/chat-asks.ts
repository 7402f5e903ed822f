import { CaretError, type MessageView, type NativeClient, type SessionView } from "@caret/protocol";
import type { AskSurface } from "../asks/ask-surface.ts";
import { createTerminalAsks, type TerminalAsks } from "../asks/terminal-asks.ts";
import { followMessagesToHuman, type MessagesToHuman, messageLines } from "../following/messages-to-human.ts";
import type { Host } from "../host/host.ts";
import { hostLook } from "../terminal/look.ts";
import type { ChatSession } from "./chat-session.ts";

export interface ChatAsksOptions {
  readonly host: Host;
  readonly client: NativeClient;
  readonly chat: ChatSession;
  readonly surface: AskSurface;
  readonly onError: (error: CaretError) => void;
}

/** Everything a session waits for its person with: its turn's asks, and its agent's messages to `human`. */
export interface ChatAsks extends TerminalAsks {
  /** Shows what this session's agent, if it has one, writes to the person. */
  watch(view: Pick<SessionView, "id" | "agent">): void;
}

export function createChatAsks({ host, client, chat, surface, onError }: ChatAsksOptions): ChatAsks {
  const leaving = new AbortController();
  const look = hostLook(host);
  let messages: MessagesToHuman | undefined;
  let written: MessageView | undefined;
  const failed = (reason: unknown): unknown => leaving.signal.aborted || onError(CaretError.from(reason));
  const show = (message: MessageView): void => {
    written = message;
    surface.ask(messageLines(look, message));
  };
  /** Below an answered ask, a message of the agent may still be waiting. */
  const answered = (): void => {
    surface.answered();
    if (written !== undefined) show(written);
  };
  const terminal = createTerminalAsks(host, chat.asks, { ...surface, answered }, "session");
  return {
    watch({ id, agent }) {
      if (agent === undefined) return;
      messages = followMessagesToHuman(client, agent, id, show);
      void messages.follow(leaving.signal).catch(failed);
    },
    take(line) {
      if (terminal.take(line)) return true;
      const said = messages?.take(line);
      if (said === undefined) return false;
      written = undefined;
      surface.answered();
      void said.catch(failed);
      return true;
    },
    stop() {
      terminal.stop();
      leaving.abort();
    },
  };
}
