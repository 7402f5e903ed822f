import { randomUUID } from "node:crypto";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blowOf,
  casesOf,
  examplesOf,
  HALF,
  hasActed,
  type LaneUnderTest,
  lanes,
  type OnceCase,
  PASSING,
  wordsOf,
} from "./once/once-case.ts";
import { type Asking, type Attempt, ask } from "./once/once-doors.ts";
import { OnceStage } from "./once/once-stage.ts";

const CASES = barSize({ quick: 4, full: 12, bar: 60 });
/** Only ends what hangs. */
const CASE_MS = 60_000;

interface Report {
  readonly end: "completed" | "failed";
  readonly words: string;
  readonly attempts: readonly Attempt[];
  readonly paid: number;
}

/** A client asks, with the retries that its SDK makes by itself, while the case's failure strikes. */
async function askAndStrike(
  stage: OnceStage,
  given: OnceCase,
  prompt: string,
  key: string | undefined,
): Promise<Report> {
  const attempts: Attempt[] = [];
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, AbortSignal.timeout(CASE_MS)]);
  const asking: Asking = { stage, given, prompt, key, signal, attempts };
  let isOver = false;
  const struck = blowAt(stage, given, () => isOver, left);
  const [end, words] = await ask[given.door](asking).then(
    (said) => ["completed", said] as const,
    (reason: unknown) => ["failed", String(reason)] as const,
  );
  isOver = true;
  await struck;
  return { end, words, attempts, paid: stage.paid() };
}

async function blowAt(stage: OnceStage, given: OnceCase, isOver: () => boolean, left: AbortController): Promise<void> {
  const blow = blowOf(given.failure);
  if (blow === undefined || blow === "client impatient") return;
  await stage.ripe(given, isOver);
  if (isOver()) return;
  if (blow === "client gone") left.abort();
  else await stage.strike(blow);
}

/** Statuses that clients send again by themselves. */
function invitesRetry({ status = 0, shouldRetry }: Attempt): boolean {
  if (shouldRetry !== null) return shouldRetry === "true";
  return [408, 409, 429].includes(status) || status >= 500;
}

/** What is wrong with how the case went; nothing, if all is well. */
function wrongsOf(given: OnceCase, { end, attempts, paid, words }: Report): readonly string[] {
  const invited = (isSafeToAskAgain(given) ? attempts.slice(-1) : attempts).filter(invitesRetry);
  return [
    ...(paid > 1 ? [`paid ${paid} times`] : []),
    ...(end === "completed" && paid !== 1 && !mayEndUnpaid(given, words) ? [`completed, and paid ${paid} times`] : []),
    ...(hasActed(given) && invited.length > 0 ? [`invited to ask again: ${invited.map(({ status }) => status)}`] : []),
    ...(words.split(HALF).length > 2 ? [`said twice: ${words}`] : []),
    ...(mustComplete(given) && end !== "completed" ? [`not tried again: ${words}`] : []),
  ];
}

/**
 * A gateway cannot know how far the worker had come that is lost before its first answer. Under a key the client may ask: what was begun is
 * in the log under that key, and is the answer. That one must be final.
 */
function isSafeToAskAgain({ lane, isKeyed, failure }: OnceCase): boolean {
  return lane === "fleet" && isKeyed && failure === "worker killed";
}

/**
 * Once an agent has spoken, a program of the contract that exits with 0 has answered, and so has an agent on ACP that adds the line of its
 * failure: ACP agents quote such lines, too. The client must then be shown that line.
 */
function mayEndUnpaid({ lane, point, failure }: OnceCase, words: string): boolean {
  if (point !== "words") return false;
  if (lane === "contract") return failure === "no result";
  const mayBeAcp = lane === "acp" || lane === "auto";
  return mayBeAcp && TOLD.has(failure) && words.startsWith(`${HALF}\n\nError: `);
}

/** Failures that an agent reports itself. */
const TOLD: ReadonlySet<string> = new Set(["network", "unavailable", "limited"]);

function mustComplete(given: OnceCase): boolean {
  if (hasActed(given)) return false;
  // What the client has to send again: no prompt of the native door, and nothing after a stream has shown thoughts.
  const isLeftToClient = given.failure === "limited";
  if (isLeftToClient && (given.door === "native" || (given.isStreaming && given.point === "thinking"))) return false;
  // In ACP nothing says what this failure is.
  if (isLeftToClient && given.lane === "acp") return false;
  return PASSING.has(given.failure) || (STANDS_IN.has(given.lane) && FALLING.has(given.failure));
}

/** Where another model or another lane goes on, and after what. */
const STANDS_IN: ReadonlySet<LaneUnderTest> = new Set(["auto", "backed"]);
const FALLING: ReadonlySet<string> = new Set(["crash", "exit 1", "no result"]);

/** The same request once more under its key: it never makes anything be done again. */
function wrongsAgain(given: OnceCase, first: Report, again: Report): readonly string[] {
  const last = again.attempts.at(-1);
  const isDone = first.paid > 0 || hasActed(given);
  return [
    ...(again.paid > 1 ? [`paid ${again.paid} times under one key`] : []),
    ...(isDone && last !== undefined && invitesRetry(last)
      ? [`under one key invited to ask again: ${last.status}`]
      : []),
  ];
}

async function play(stage: OnceStage, given: OnceCase): Promise<void> {
  await stage.play(given);
  const prompt = `${wordsOf(given)} ${randomUUID()}`;
  const key = given.isKeyed ? randomUUID() : undefined;
  const first = await askAndStrike(stage, given, prompt, key);
  const wrongs = [...wrongsOf(given, first)];
  // A client that runs the tools runs them again by itself when it is given the same answer once more.
  if (key !== undefined && given.owner !== "client") {
    const again = await askAndStrike(stage, { ...given, failure: "none" }, prompt, key);
    wrongs.push(...wrongsAgain(given, first, again));
  }
  expect({ given, wrongs }).toEqual({ given, wrongs: [] });
}

/** In the short run each class meets two lanes or three of the four. */
function examplesFor(lane: LaneUnderTest): [OnceCase][] {
  return examplesOf(lane).filter((_, index) => isFullRun() || (index + lanes.indexOf(lane)) % 2 === 0);
}

describe("whatever fails, and wherever", () => {
  it.concurrent.for(isFullRun() ? lanes : lanes.slice(0, 4))(
    "a turn on the lane %s is paid once at most, at any door, and is begun again only while it has not acted",
    { timeout: CASES * CASE_MS },
    async (lane: LaneUnderTest) => {
      const stage = await OnceStage.open(lane);
      try {
        await fc.assert(
          fc.asyncProperty(casesOf(lane), (given) => play(stage, given)),
          { numRuns: CASES, endOnFailure: true, examples: examplesFor(lane) },
        );
      } finally {
        await stage.remove();
      }
    },
  );
});
