import type { OutcomeClass } from "../../calls/tool-call.ts";

/** How tools word their failures. The first that fits counts. */
const wordings: readonly (readonly [Exclude<OutcomeClass, "success">, RegExp])[] = [
  ["timeout", /\btimed[ -]?out\b|\btimeout\b|ETIMEDOUT|deadline exceeded/i],
  ["permission", /permission denied|not (permitted|allowed)|forbidden|access denied|EACCES|EPERM|rejected by/i],
  [
    "validation",
    /invalid (arguments?|input|parameters?|type)|validation|schema|(missing|unknown|unexpected|required) (\w+ )?(argument|parameter|property|field)/i,
  ],
  ["not_found", /not found|no such|does not exist|doesn't exist|cannot find|could not find|ENOENT|unknown tool/i],
];

/** A result that begins like this is a failure even where nothing else says so. */
const FAILURE = /^\s*(?:<\w+>\s*)?(?:\w*error|failed|failure|fatal|exception|traceback)\b/i;

/** The words that matter stand at the beginning; the rest may be a whole file. */
const MAX_READ = 2_000;

/** A call and how it ended, as digests. */
interface MadeCall {
  readonly key: string;
  readonly ending: string;
  readonly isSuccess: boolean;
}

/** The same few calls in the same order with the same results, round after round. */
interface RepeatedRound {
  /** How often, in a row. */
  readonly rounds: number;
  /** The key of the call that would go on with it. */
  readonly nextKey: string;
  /** One of its calls succeeds. */
  readonly hasSuccess: boolean;
}

/** Watches for rounds of several calls. One call that repeats itself is no round. */
interface CallRounds {
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

export interface ReportedOutcome {
  readonly output: string;
  /** Absent where the protocol does not say: an OpenAI tool message is only a string. */
  readonly isError?: boolean;
  readonly exitCode?: number;
}

/** The class of an outcome of which only the text is known, that of a tool the client ran for instance. */
export function classifyOutcome({ output, isError, exitCode }: ReportedOutcome): OutcomeClass {
  const beginning = output.slice(0, MAX_READ);
  const failed = isError ?? (exitCode === undefined ? FAILURE.test(beginning) : exitCode !== 0);
  if (!failed) return "success";
  const known = wordings.find(([, wording]) => wording.test(beginning))?.[0];
  return known ?? (beginning.trim() === "" ? "unknown" : "tool_error");
}
