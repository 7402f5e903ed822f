import type { FollowedUpdate, MessageView, NativeClient } from "@caret/protocol";
import type { Look } from "../terminal/look.ts";
import { cleanText } from "../terminal/text-cleaner.ts";

export interface MessagesToHuman {
  /** Sends a typed line as the answer to the message shown. Undefined if none was. */
  take(line: string): Promise<string> | undefined;
  /** Shows existing and new messages until the signal aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

/** Shows an agent's messages to a person one at a time; the next appears when one is answered or dismissed. */
export function followMessagesToHuman(
  client: Pick<NativeClient, "followUpdates" | "getAgent" | "sendMessage" | "putMessageAside">,
  name: string,
  sessionId: string,
  show: (message: MessageView) => void,
): MessagesToHuman {
  let shown: MessageView | undefined;
  const look = async (): Promise<void> => {
    const { toHuman } = await client.getAgent(name);
    const [oldest] = toHuman;
    if (oldest !== undefined && oldest.id !== shown?.id) show(oldest);
    shown = oldest;
  };
  return {
    take(line) {
      if (shown === undefined) return undefined;
      const { id } = shown;
      shown = undefined;
      const text = line.trim();
      return text === ""
        ? client.putMessageAside(id).then(() => "You put it aside.")
        : client.sendMessage(name, { text, replyTo: id }).then(() => "It has your answer.");
    },
    async follow(signal) {
      for await (const updates of client.followUpdates({ signal }))
        if (updates.some((update) => concerns(update, sessionId))) await look();
    },
  };
}

function concerns(update: FollowedUpdate, sessionId: string): boolean {
  // After a lost connection changes may have been missed.
  return update.kind === "opened" || (update.kind === "changed" && update.session.id === sessionId);
}

/** Formats an agent's message for a person who types the answer below it. */
export function messageLines({ style, glyphs }: Look, { from, text }: MessageView): readonly string[] {
  return [
    `${style.yellow(glyphs.question)} ${style.bold(`${from} asks you:`)}`,
    ...cleanText(text)
      .split("\n")
      .map((line) => `  ${line}`),
    "  Type the answer, or nothing to put it aside; then Enter",
  ];
}
