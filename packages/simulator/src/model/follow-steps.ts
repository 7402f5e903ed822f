import type { Content, Intent, ModelCall, ModelRequest, Step } from "./model.ts";
import { cleanOutput } from "./phrasing.ts";
import { resolveCall, type Side } from "./resolve-call.ts";
import { isFailed } from "./result-verdict.ts";
import type { CallResult, Round } from "./turn-rounds.ts";

/** What became of an intent. */
export interface Outcome {
  readonly intent: Intent;
  readonly ok: boolean;
  readonly output: string;
  /** There was a tool for it, and it was called. */
  readonly isTried: boolean;
}

/** Where the turn stands: calls to make next, or none when all steps are through. */
export interface Progress {
  readonly next: readonly Attempt[];
  readonly outcomes: readonly Outcome[];
}

interface Attempt {
  readonly intent: Intent;
  readonly call: ModelCall;
}

export interface FollowOptions {
  readonly request: ModelRequest;
  readonly side: Side;
  readonly workingDirectory: string | undefined;
  /** A call that may make the client offer a tool for this; nothing when that was tried already. */
  readonly lookForTool: (intent: Intent) => ModelCall | undefined;
}

/**
 * Walks the steps along the rounds that already happened. The model keeps no state: the same session always leads to
 * the same place, also after a restart of the process in the middle of a turn.
 */
export function followSteps(steps: readonly Step[], rounds: readonly Round[], options: FollowOptions): Progress {
  const outcomes: Outcome[] = [];
  const waiting = [...rounds];
  let side = options.side;
  for (const step of steps) {
    const { attempts, impossible } = plan(step, outcomes, { ...options, side });
    const searches = waiting.length > 0 ? [] : impossible.flatMap(({ intent }) => lookFor(intent, options));
    if (searches.length > 0) return { next: searches, outcomes };
    outcomes.push(...impossible);
    if (attempts.length === 0) continue;
    const { next, settled, moves } = take(attempts, waiting, outcomes, options);
    if (next !== undefined) return { next, outcomes };
    if (moves) side = "offered";
    outcomes.push(...settled);
  }
  return { next: [], outcomes };
}

interface Taken {
  /** What is still to be called. */
  readonly next?: readonly Attempt[];
  readonly settled: readonly Outcome[];
  /** The other side's tools did what the first side's were refused. */
  readonly moves: boolean;
}

/** Takes the rounds that a step's attempts have used up. */
function take(
  attempts: readonly Attempt[],
  waiting: Round[],
  outcomes: readonly Outcome[],
  options: FollowOptions,
): Taken {
  const round = waiting.shift();
  if (round === undefined) return { next: attempts, settled: [], moves: false };
  const refused = attempts.filter((_, index) => isRefused(round.results[index]));
  const retries = alternatives(refused, outcomes, options);
  const second = retries.length === 0 ? undefined : waiting.shift();
  if (retries.length > 0 && second === undefined) return { next: retries, settled: [], moves: false };
  const moves = second?.results.some(({ ok }) => ok) === true;
  return { settled: settle(attempts, round, { retries, round: second }), moves };
}

function plan(step: Step, outcomes: readonly Outcome[], options: FollowOptions) {
  const tried = step.map((intent) => ({ intent, call: resolveCall(intent, contentOf(intent, outcomes), options) }));
  const attempts = tried.flatMap(({ intent, call }) => (call === undefined ? [] : [{ intent, call }]));
  const impossible = tried
    .filter(({ call }) => call === undefined)
    .map(({ intent }) => ({ intent, ok: false, isTried: false, output: "I have no tool for that here" }));
  return { attempts, impossible };
}

function lookFor(intent: Intent, { lookForTool }: FollowOptions): readonly Attempt[] {
  const call = lookForTool(intent);
  return call === undefined ? [] : [{ intent, call }];
}

/** A call that was refused is tried once more on the other side, and then no more. */
function alternatives(
  refused: readonly Attempt[],
  outcomes: readonly Outcome[],
  options: FollowOptions,
): readonly Attempt[] {
  return refused.flatMap(({ intent, call: { server } }) => {
    const side: Side = server === undefined ? "offered" : "native";
    const call = resolveCall(intent, contentOf(intent, outcomes), { ...options, side, only: true });
    return call === undefined ? [] : [{ intent, call }];
  });
}

interface Retry {
  readonly retries: readonly Attempt[];
  readonly round: Round | undefined;
}

function settle(attempts: readonly Attempt[], round: Round, retry: Retry): readonly Outcome[] {
  return attempts.map(({ intent }, index) => {
    const again = retry.retries.findIndex((attempt) => attempt.intent === intent);
    const result = (again < 0 ? undefined : retry.round?.results[again]) ?? round.results[index];
    const ok = result !== undefined && !isFailed(intent, result);
    return { intent, ok, isTried: true, output: cleanOutput(result?.output ?? "No result came.") };
  });
}

export function isRefused(result: CallResult | undefined): boolean {
  return result?.ok === false && /\b(?:reject\w*|denied|blocked by a hook)\b/i.test(result.output);
}

function contentOf(intent: Intent, outcomes: readonly Outcome[]): string {
  return intent.kind === "write" ? toText(intent.content, outcomes.at(-1)) : "";
}

function toText(content: Content, last: Outcome | undefined): string {
  const output = last?.ok === true ? last.output : "";
  switch (content.from) {
    case "prompt":
      return content.text;
    case "last-output":
      return output.endsWith("\n") ? output : `${output}\n`;
    case "last-number":
      return `${/-?\d+(?:\.\d+)?/.exec(output)?.[0] ?? "0"}\n`;
    case "appending":
      return `${output === "" || output.endsWith("\n") ? output : `${output}\n`}${content.text}\n`;
  }
}
