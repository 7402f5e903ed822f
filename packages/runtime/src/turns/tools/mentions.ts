import type { ToolCall } from "../../calls/tool-call.ts";

/**
 * Matches calls with their mentions. A call and its mention in the agent's stream arrive on separate paths. A call that waits for its
 * mention is logged after the text before it and after the calls mentioned before it.
 */
export interface Mentions {
  /** The agent's stream mentioned a call; everything before the mention is in the log. */
  note(call: ToolCall): void;
  /**
   * Resolves when the call is mentioned and the calls mentioned before it have arrived, or after the limit: agents neither mention every
   * call nor make every call they mention.
   */
  wait(call: ToolCall, limitMs?: number): Promise<void>;
  /** Number of mentioned calls that have not arrived. */
  outstanding(): number;
}

const MENTION_MS = 300;
/** A mentioned call is expected to arrive, unless it was lost; a busy machine can take this long. */
const AHEAD_MS = 1_000;

interface Mention {
  readonly key: string;
  /** Its call has arrived. */
  isTaken: boolean;
  /** No longer waited for: passed on, or too late. */
  isPassed: boolean;
}

export function createMentions(): Mentions {
  /** In stream order. */
  let mentions: readonly Mention[] = [];
  /** Calls that wait for their mention, oldest first. */
  let unmentioned: readonly { readonly key: string; readonly found: (mention: Mention) => void }[] = [];
  /** Calls not mentioned in time: their mentions may still come. */
  const given = new Map<string, number>();
  let bell = Promise.withResolvers<void>();

  const ring = (): void => {
    bell.resolve();
    bell = Promise.withResolvers<void>();
  };

  const pass = (passed: readonly Mention[]): void => {
    for (const mention of passed) mention.isPassed = true;
    mentions = mentions.filter(({ isTaken, isPassed }) => !(isTaken && isPassed));
    ring();
  };

  const take = (key: string): Mention | undefined => {
    const mention = mentions.find((each) => each.key === key && !each.isTaken);
    if (mention !== undefined) mention.isTaken = true;
    return mention;
  };

  const mentioned = async (key: string, limitMs: number): Promise<Mention | undefined> => {
    const { promise, resolve: found } = Promise.withResolvers<Mention | undefined>();
    const timer = setTimeout(found, limitMs, undefined);
    const waiter = { key, found };
    unmentioned = [...unmentioned, waiter];
    const mention = await promise;
    clearTimeout(timer);
    unmentioned = unmentioned.filter((other) => other !== waiter);
    if (mention === undefined) given.set(key, (given.get(key) ?? 0) + 1);
    return mention;
  };

  const ahead = (own: Mention): readonly Mention[] =>
    mentions.slice(0, mentions.indexOf(own)).filter(({ isPassed }) => !isPassed);

  const arrived = async (own: Mention): Promise<void> => {
    const { promise: timeUp, resolve } = Promise.withResolvers<void>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      resolve();
    }, AHEAD_MS);
    while (!isLate && ahead(own).length > 0) await Promise.race([bell.promise, timeUp]);
    clearTimeout(timer);
  };

  return {
    note(call) {
      const key = keyOf(call);
      const late = given.get(key) ?? 0;
      if (late > 0) return void given.set(key, late - 1);
      const waiter = unmentioned.find((each) => each.key === key);
      const mention: Mention = { key, isTaken: waiter !== undefined, isPassed: false };
      mentions = [...mentions, mention];
      if (waiter === undefined) return;
      unmentioned = unmentioned.filter((other) => other !== waiter);
      waiter.found(mention);
    },
    async wait(call, limitMs = MENTION_MS) {
      const key = keyOf(call);
      const mention = take(key) ?? (await mentioned(key, limitMs));
      if (mention === undefined) return;
      await arrived(mention);
      pass([...ahead(mention), mention]);
    },
    outstanding: () => mentions.filter(({ isTaken, isPassed }) => !isTaken && !isPassed).length,
  };
}

function keyOf({ name, input }: ToolCall): string {
  return JSON.stringify([name, Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
