/** A call and how it ended, as digests. */
export interface MadeCall {
  readonly key: string;
  readonly ending: string;
  readonly isSuccess: boolean;
}

/** The same few calls in the same order with the same results, round after round. */
export interface RepeatedRound {
  /** How often, in a row. */
  readonly rounds: number;
  /** The key of the call that would go on with it. */
  readonly nextKey: string;
  /** One of its calls succeeds. */
  readonly hasSuccess: boolean;
}

/** Watches for rounds of several calls. One call that repeats itself is no round. */
export interface CallRounds {
  add(call: MadeCall): void;
  /** The round that the newest calls repeat most often; undefined when they repeat none. */
  current(): RepeatedRound | undefined;
}

const LENGTHS = [2, 3, 4] as const;
const LONGEST = 4;

export function createCallRounds(): CallRounds {
  /** The newest calls, as many as the longest round has. */
  let recent: readonly MadeCall[] = [];
  /** By the length of a round: how many calls in a row were the same as the one a round before. */
  const streaks = new Map<number, number>(LENGTHS.map((length) => [length, 0]));

  const roundOf = (length: number): RepeatedRound | undefined => {
    const calls = recent.slice(-length);
    const [first] = calls;
    const rounds = Math.floor((streaks.get(length) ?? 0) / length) + 1;
    if (first === undefined || rounds < 2 || !areLooped(calls)) return undefined;
    return { rounds, nextKey: first.key, hasSuccess: calls.some(({ isSuccess }) => isSuccess) };
  };

  return {
    add(call) {
      for (const length of LENGTHS) {
        const isRepeated = isSame(call, recent.at(-length));
        streaks.set(length, isRepeated ? (streaks.get(length) ?? 0) + 1 : 0);
      }
      recent = [...recent, call].slice(-LONGEST);
    },
    current() {
      const found = LENGTHS.map(roundOf).filter((round) => round !== undefined);
      return found.toSorted((one, other) => other.rounds - one.rounds)[0];
    },
  };
}

/** Several calls, each with one result: a call whose result changes is a look at something that does. */
function areLooped(calls: readonly MadeCall[]): boolean {
  const keys = new Set(calls.map(({ key }) => key));
  const endings = new Set(calls.map(({ key, ending }) => `${key} ${ending}`));
  return keys.size > 1 && endings.size === keys.size;
}

function isSame(call: MadeCall, other: MadeCall | undefined): boolean {
  return call.key === other?.key && call.ending === other.ending;
}
