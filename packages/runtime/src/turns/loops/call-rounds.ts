import type { OutcomeClass } from "../../calls/tool-call.ts";

/** How tools word their failures. The first match counts. */
const wordings: readonly (readonly [Exclude<OutcomeClass, "success">, RegExp])[] = [
  ["timeout", /\btimed[ -]?out\b|\btimeout\b|ETIMEDOUT|deadline exceeded/i],
  ["permission", /permission denied|not (permitted|allowed)|forbidden|access denied|EACCES|EPERM|rejected by/i],
  [
    "validation",
    /invalid (arguments?|input|parameters?|type)|validation|schema|(missing|unknown|unexpected|required) (\w+ )?(argument|parameter|property|field)/i,
  ],
  ["not_found", /not found|no such|does not exist|doesn't exist|cannot find|could not find|ENOENT|unknown tool/i],
];

/** A result that begins like this is a failure even if nothing else marks it as one. */
const FAILURE = /^\s*(?:<\w+>\s*)?(?:\w*error|failed|failure|fatal|exception|traceback)\b/i;

/** The decisive words come first; the rest can be a whole file. */
const MAX_READ = 2_000;

/** A call and its outcome, as digests. */
interface MadeCall {
  readonly key: string;
  readonly ending: string;
  readonly isSuccess: boolean;
}

/** The same few calls in the same order with the same results, round after round. */
interface RepeatedRound {
  /** Consecutive repetitions. */
  readonly rounds: number;
  /** Key of the call that would continue the round. */
  readonly nextKey: string;
  /** At least one of its calls succeeds. */
  readonly hasSuccess: boolean;
}

/** Detects repeated rounds of several calls. A single repeated call is not a round. */
interface CallRounds {
  add(call: MadeCall): void;
  /** The most repeated round that ends with the newest call; undefined if none repeats. */
  current(): RepeatedRound | undefined;
}

const LENGTHS = [2, 3, 4] as const;
const LONGEST = 4;

export function createCallRounds(): CallRounds {
  /** The newest calls, up to the length of the longest round. */
  let recent: readonly MadeCall[] = [];
  /** By round length: how many consecutive calls equalled the call one round earlier. */
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

/** Requires several distinct calls, each with a single result: a call whose result changes is polling. */
function areLooped(calls: readonly MadeCall[]): boolean {
  const keys = new Set(calls.map(({ key }) => key));
  const endings = new Set(calls.map(({ key, ending }) => `${key} ${ending}`));
  return keys.size > 1 && endings.size === keys.size;
}

function isSame(call: MadeCall, other: MadeCall | undefined): boolean {
  return call.key === other?.key && call.ending === other.ending;
}

export interface ReportedOutcome {
  readonly output: string;
  /** Omitted if the protocol does not say: an OpenAI tool message is only a string. */
  readonly isError?: boolean;
  readonly exitCode?: number;
}

/** Classifies an outcome known only by its text, for example that of a client's tool. */
export function classifyOutcome({ output, isError, exitCode }: ReportedOutcome): OutcomeClass {
  const beginning = output.slice(0, MAX_READ);
  const failed = isError ?? (exitCode === undefined ? FAILURE.test(beginning) : exitCode !== 0);
  if (!failed) return "success";
  const known = wordings.find(([, wording]) => wording.test(beginning))?.[0];
  return known ?? (beginning.trim() === "" ? "unknown" : "tool_error");
}
