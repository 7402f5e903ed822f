import { CaretError, type TranscriptMessage, type TranscriptPart } from "@caret/protocol";
import { fingerprint } from "../calls/fingerprint.ts";
import { isSpoken } from "./render-prompt.ts";

/** So many refusals are remembered; the oldest go first. */
const MAX_REMEMBERED = 1_000;
/** And of each, what was said with it in so many messages. */
const MAX_WORDS = 20;

export interface Refusal {
  readonly message: string;
  readonly fix: string;
}

export interface UnpassableRefuser {
  /**
   * Throws when the last message of a transcript brings something that cannot be passed on. Only there it is new: whatever
   * stands before it is only mentioned to the agent. So is what a tool gave, also where the client sends it in a user's
   * message behind the tool's result: nobody could send anything else instead.
   *
   * A client keeps what was refused in its transcript, and some join it with the user's next words to one message. So it
   * is refused once: in a message that goes on from the refused one it is only mentioned, too.
   */
  check(messages: readonly TranscriptMessage[], keeper: string): void;
}

export function createUnpassableRefuser(refusalOf: (part: TranscriptPart) => Refusal | undefined): UnpassableRefuser {
  /** By what was refused to whom, what was said with it. */
  const refused = new Map<string, readonly SaidWords[]>();

  const remember = (key: string, words: SaidWords): void => {
    const others = (refused.get(key) ?? []).filter(({ digest }) => digest !== words.digest);
    refused.delete(key);
    refused.set(key, [...others, words].slice(-MAX_WORDS));
    const [oldest] = refused.keys();
    if (refused.size > MAX_REMEMBERED && oldest !== undefined) refused.delete(oldest);
  };

  return {
    check(messages, keeper) {
      const last = messages.at(-1);
      if (last?.role !== "user" || !last.parts.some(refusalOf) || isOfTool(messages, last)) return;
      const said = wordsOf(last.parts);
      const found = last.parts.flatMap((part) => {
        const refusal = refusalOf(part);
        const key = fingerprint([keeper, identityOf(part)]);
        const wasRefused = refused.get(key)?.some((words) => goesOn(said, words)) ?? false;
        return refusal === undefined || wasRefused ? [] : [{ key, refusal }];
      });
      for (const { key } of found) remember(key, { length: said.length, digest: fingerprint([said]) });
      const [first] = found;
      if (first === undefined) return;
      const { message: words, fix } = first.refusal;
      throw new CaretError("invalid-request", words, { fix });
    },
  };
}

/** The words of a message, by their length and digest. */
interface SaidWords {
  readonly length: number;
  readonly digest: string;
}

/** Clients join messages with blanks of their own. */
function wordsOf(parts: readonly TranscriptPart[]): string {
  return parts
    .map((part) => (part.kind === "text" ? part.text : ""))
    .join("")
    .replaceAll(/\s+/g, "");
}

function goesOn(said: string, { length, digest }: SaidWords): boolean {
  return said.length > length && fingerprint([said.slice(0, length)]) === digest;
}

/** Behind the results of tools, in a message in which the user says nothing. */
function isOfTool(messages: readonly TranscriptMessage[], last: TranscriptMessage): boolean {
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(answered + 1).some(({ role }) => role === "tool") && !isSpoken(last);
}

function identityOf(part: TranscriptPart): string {
  if (part.kind === "text") return "";
  return part.kind === "image" ? fingerprint(["image", part.data]) : part.digest;
}
