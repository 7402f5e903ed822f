import { CaretError, type TranscriptMessage, type TranscriptPart } from "@caret/protocol";
import { fingerprint } from "../calls/fingerprint.ts";
import { isSpoken } from "./render-prompt.ts";

/** Maximum refusals remembered; the oldest are dropped. */
const MAX_REMEMBERED = 1_000;
/** Messages remembered per refusal. */
const MAX_WORDS = 20;

export interface Refusal {
  readonly message: string;
  readonly fix: string;
}

export interface UnpassableRefuser {
  /**
   * Throws if the last message of a transcript brings something that cannot be passed on. Only there it is new: in earlier messages it is
   * merely mentioned to the agent. The same goes for what a tool returned, even if the client sends it in a user message after the tool's
   * result: no one could send anything else instead.
   *
   * A client keeps what was refused in its transcript, and some join it with the user's next words into one message. So it is refused only
   * once: in a message that extends the refused one it is also merely mentioned.
   */
  check(messages: readonly TranscriptMessage[], keeper: string): void;
}

export function createUnpassableRefuser(refusalOf: (part: TranscriptPart) => Refusal | undefined): UnpassableRefuser {
  /** Maps what was refused, and to whom, to the words sent with it. */
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

/** A message's words, by length and digest. */
interface SaidWords {
  readonly length: number;
  readonly digest: string;
}

/** Clients join messages with white space of their own. */
function wordsOf(parts: readonly TranscriptPart[]): string {
  return parts
    .map((part) => (part.kind === "text" ? part.text : ""))
    .join("")
    .replaceAll(/\s+/g, "");
}

function goesOn(said: string, { length, digest }: SaidWords): boolean {
  return said.length > length && fingerprint([said.slice(0, length)]) === digest;
}

/** After the results of tools, in a message without words of the user. */
function isOfTool(messages: readonly TranscriptMessage[], last: TranscriptMessage): boolean {
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(answered + 1).some(({ role }) => role === "tool") && !isSpoken(last);
}

function identityOf(part: TranscriptPart): string {
  if (part.kind === "text") return "";
  return part.kind === "image" ? fingerprint(["image", part.data]) : part.digest;
}
