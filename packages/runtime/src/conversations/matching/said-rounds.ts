import type { TranscriptCall, TranscriptMessage } from "@caret/protocol";
import { canonicalJson } from "../../calls/canonical-json.ts";
import { fingerprint } from "../../calls/fingerprint.ts";
import type { ChainLink, HeardMessage } from "./chain.ts";
import { withoutSpace } from "./same-words.ts";

/** The assistant's words in a transcript between two identifying messages. */
export interface SaidRound {
  /** Number of identifying messages before it. */
  readonly after: number;
  /** Without white space. */
  readonly words: string;
  readonly calls: readonly TranscriptCall[];
  /** Of the whole round, without call ids. */
  readonly digest: string;
}

/** The rounds in which something is said. */
export function saidRounds(
  messages: readonly TranscriptMessage[],
  heard: readonly HeardMessage[],
): readonly SaidRound[] {
  const rounds: { after: number; words: string; calls: TranscriptCall[] }[] = [];
  let after = 0;
  for (const [index, message] of messages.entries()) {
    while ((heard[after]?.index ?? messages.length) < index) after += 1;
    if (message.role !== "assistant") continue;
    const words = withoutSpace(message.text);
    if (words === "" && message.calls.length === 0) continue;
    const last = rounds.at(-1);
    if (last?.after === after) {
      last.words += words;
      last.calls.push(...message.calls);
    } else rounds.push({ after, words, calls: [...message.calls] });
  }
  return rounds.map((round) => ({ ...round, digest: digestOf(round) }));
}

/**
 * The chain of a transcript that the client has edited: includes the assistant's words. Where it says nothing, the links equal those of a
 * plain chain.
 */
export function chainAsSaid(
  root: string,
  heard: readonly HeardMessage[],
  rounds: readonly SaidRound[],
): readonly ChainLink[] {
  const said = new Map(rounds.map(({ after: place, digest }) => [place, digest]));
  let last = root;
  return heard.map(({ index, digest }, position) => {
    const before = said.get(position);
    last = fingerprint(before === undefined ? [last, digest] : [last, before, digest]);
    return { hash: last, index };
  });
}

function digestOf({ words, calls }: Omit<SaidRound, "digest">): string {
  return fingerprint([words, ...calls.flatMap(({ name, input }) => [name, canonicalJson(input)])]);
}
