import { CaretError } from "@caret/protocol";
import { fingerprint } from "../lineage/fingerprint.ts";
import type { TranscriptMessage, TranscriptPart } from "../lineage/transcript.ts";

/** So many refusals are remembered; the oldest go first. */
const MAX_REMEMBERED = 1_000;

export interface Refusal {
  readonly message: string;
  readonly fix: string;
}

export interface UnpassableRefuser {
  /**
   * Throws when the last message of a transcript brings something that cannot be passed on. Only there it is new: whatever
   * stands before it is only mentioned to the agent.
   *
   * A client keeps what was refused in its transcript, and some join it with the user's next words to one message. So it
   * is refused once: in another message it is only mentioned, too.
   */
  check(messages: readonly TranscriptMessage[], tokenName: string): void;
}

export function createUnpassableRefuser(refusalOf: (part: TranscriptPart) => Refusal | undefined): UnpassableRefuser {
  /** By what was refused to whom, the message it came in. */
  const refused = new Map<string, string>();

  const remember = (key: string, message: string): void => {
    refused.delete(key);
    refused.set(key, message);
    const [oldest] = refused.keys();
    if (refused.size > MAX_REMEMBERED && oldest !== undefined) refused.delete(oldest);
  };

  return {
    check(messages, tokenName) {
      const last = messages.at(-1);
      if (last?.role !== "user") return;
      const message = fingerprint(last.parts.map(identityOf));
      const found = last.parts.flatMap((part) => {
        const refusal = refusalOf(part);
        const key = fingerprint([tokenName, identityOf(part)]);
        return refusal === undefined || (refused.get(key) ?? message) !== message ? [] : [{ key, refusal }];
      });
      for (const { key } of found) remember(key, message);
      const [first] = found;
      if (first === undefined) return;
      const { message: words, fix } = first.refusal;
      throw new CaretError("invalid-request", words, { fix });
    },
  };
}

function identityOf(part: TranscriptPart): string {
  if (part.kind === "text") return fingerprint(["text", part.text.trim()]);
  return part.kind === "image" ? fingerprint(["image", part.data]) : part.digest;
}
