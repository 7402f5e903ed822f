import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import fc from "fast-check";

/**
 * The lanes; what may go on where one of them failed: `auto` with another lane, `backed` with another model; and a fleet.
 */
export const lanes = ["cli", "contract", "acp", "api", "auto", "backed", "fleet"] as const;
export type LaneUnderTest = (typeof lanes)[number];

const doors = ["chat", "responses", "messages", "native"] as const;
export type DoorUnderTest = (typeof doors)[number];
export type ToolOwner = "agent" | "gateway" | "client";

/** Where in its work the first agent of a case fails. */
const points = ["before", "thinking", "words", "amid", "result"] as const;
type Point = (typeof points)[number];

type Turn = NonNullable<ScenarioInput["turns"]>[number];
type Step = Extract<Turn, { readonly steps: unknown }>["steps"][number];

/** How an agent itself fails, or its upstream. */
const agentFailures = {
  network: { fail: "network" },
  unavailable: { fail: "unavailable" },
  limited: { fail: "rate-limited" },
  "exit 1": { exit: 1 },
  "no result": { exit: 0 },
  crash: { crash: "SIGSEGV" },
  kill: { crash: "SIGKILL" },
} as const satisfies Readonly<Record<string, Step>>;

const upstreamFailures = {
  reset: { wire: { reset: "INTERNAL_ERROR" } },
  refused: { wire: { reset: "REFUSED_STREAM" } },
  destroyed: { wire: { destroy: true } },
  ended: { wire: { end: true } },
  cut: { wire: { truncate: 3 } },
  unavailable: { wire: { error: { code: "unavailable" } } },
  "reset for good": { wire: { reset: "INTERNAL_ERROR", times: 50 } },
  "unavailable for good": { wire: { error: { code: "unavailable" }, times: 50 } },
} as const satisfies Readonly<Record<string, Step>>;

/** How long an agent that goes on lets itself be struck. */
const BLOW_MS = 3_000;
/** An impatient client waits for less than that. */
export const IMPATIENT_MS = 1_500;

/** What strikes the turn at that point. */
const blows = ["agent killed", "gateway killed", "worker killed", "client gone", "client impatient"] as const;
type Blow = (typeof blows)[number];

export interface OnceCase {
  readonly lane: LaneUnderTest;
  readonly door: DoorUnderTest;
  readonly owner: ToolOwner;
  readonly isStreaming: boolean;
  readonly isKeyed: boolean;
  readonly point: Point;
  readonly failure: string;
}

/** Failures that the design has tried again while nothing was done: by the gateway, or by the client that it advises. */
export const PASSING: ReadonlySet<string> = new Set([
  ...["network", "unavailable", "limited"],
  ...["reset", "refused", "destroyed", "ended"],
]);

/** Who can run the tools of a turn: the contract and the API have no tools of the agent's own. */
const ownersOn: Readonly<Record<LaneUnderTest, readonly ToolOwner[]>> = {
  cli: ["agent", "gateway", "client"],
  contract: ["gateway", "client"],
  acp: ["agent", "gateway", "client"],
  api: ["gateway", "client"],
  auto: ["agent", "gateway", "client"],
  backed: ["agent", "gateway", "client"],
  fleet: ["agent", "gateway", "client"],
};

/** Any case of a lane that means something. */
export function casesOf(lane: LaneUnderTest): fc.Arbitrary<OnceCase> {
  const failures = Object.keys(lane === "api" ? upstreamFailures : agentFailures);
  // A client waits for each of the gateway's own attempts.
  const own = failures.filter((failure) => isFullRun() || !failure.endsWith("for good"));
  const passing = own.filter((failure) => PASSING.has(failure));
  return fc
    .record({
      lane: fc.constant(lane),
      door: fc.constantFrom(...doors),
      owner: fc.constantFrom(...ownersOn[lane]),
      isStreaming: fc.boolean(),
      isKeyed: fc.boolean(),
      point: fc.oneof(fc.constantFrom(...points), fc.constant("result")),
      failure: fc.oneof(fc.constantFrom(...own), fc.constantFrom(...passing), fc.constantFrom<string>(...blows)),
    })
    .map((given) => (given.door === "native" ? { ...given, owner: lane === "api" ? "gateway" : "agent" } : given))
    .filter((given) => isPossible(given as OnceCase)) as fc.Arbitrary<OnceCase>;
}

/** One case of each class, for runs that are too short to come upon all of them. */
export function examplesOf(lane: LaneUnderTest): [OnceCase][] {
  const [first = "gateway"] = ownersOn[lane];
  const given = { lane, door: "chat", owner: first, isStreaming: false, isKeyed: false, point: "result" } as const;
  const lost = lane === "api" ? "reset" : "network";
  return [
    // Its tools were run, and its client sends by itself what was answered by nobody.
    [{ ...given, owner: "gateway", failure: "client impatient" }],
    [{ ...given, door: "messages", failure: "gateway killed" }],
    [{ ...given, door: "responses", owner: "gateway", isKeyed: true, failure: lost }],
    [{ ...given, point: "words", failure: lost }],
    // Only thoughts were shown.
    [{ ...given, isStreaming: true, point: "thinking", failure: lost }],
  ];
}

function isPossible({ lane, door, owner, point, failure }: OnceCase): boolean {
  if (door === "native" && (lane === "contract" || failure === "client impatient")) return false;
  if (failure === "agent killed" && lane === "api") return false;
  if (failure === "worker killed" && lane !== "fleet") return false;
  // Only a blow meets a tool that runs, and a client's own is over before anybody could strike.
  return point !== "amid" || (blowOf(failure) !== undefined && owner !== "client");
}

export function blowOf(failure: string): Blow | undefined {
  return blows.find((blow) => blow === failure);
}

/** The turn of a case has done something when it fails. */
export function hasActed({ point }: OnceCase): boolean {
  return point === "words" || point === "amid" || point === "result";
}

/** What the agents of a case do: the first one fails, and every later one pays and is done, unless its prompt says that it was paid. */
export function scenarioOf(given: OnceCase, ledger: string): ScenarioInput {
  const turns = [
    // Where the client runs the tools, a new agent is given the results with the transcript.
    { when: "TOOL_RESULT", steps: [{ text: "Done." }] },
    { steps: firstSteps(given, ledger) },
    { steps: [payment(given, ledger), { text: "Done." }] },
  ];
  return { advance: "invocation", turns };
}

/**
 * The same for a simulated upstream, which plays it by the words of the prompt. It knows the attempts of one run apart: what has spoilt one
 * is passed by the next. What a blow meets takes a while, and goes on where nobody strikes.
 */
export function upstreamScenario(ledger: string): ScenarioInput {
  const owners = ownersOn.api;
  const failures = [...Object.keys(upstreamFailures), ...blows];
  const turns = owners.flatMap((owner) =>
    points.flatMap((point) =>
      failures.map((failure) => {
        const given: OnceCase = {
          lane: "api",
          door: "chat",
          isStreaming: false,
          isKeyed: false,
          owner,
          point,
          failure,
        };
        return { when: wordsOf(given), steps: firstSteps(given, ledger) };
      }),
    ),
  );
  return { turns: [{ when: "TOOL_RESULT", steps: [{ text: "Done." }] }, ...turns] };
}

/** What the prompt of a case begins with. */
export function wordsOf({ owner, point, failure }: OnceCase): string {
  return `Pay, ${owner}, ${point}, ${failure}:`;
}

/** What an agent says that fails in the middle of its answer. */
export const HALF = "I shall pay. ";

/** An agent that nothing stops at its point goes on from there. */
function firstSteps(given: OnceCase, ledger: string): readonly Step[] {
  const isPaid = given.point === "result" || given.point === "amid";
  return [...stepsOf(given, ledger), ...(isPaid ? [] : [payment(given, ledger)]), { text: "Done." }];
}

function stepsOf(given: OnceCase, ledger: string): readonly Step[] {
  const goesOn = given.lane === "api" || given.failure.startsWith("client");
  const fails = failureStep(given) ?? (goesOn ? { delay: BLOW_MS } : { hang: true });
  switch (given.point) {
    case "before":
      return [fails];
    case "thinking":
      return [{ thinking: "Should I pay? " }, fails];
    case "words":
      return [{ text: HALF }, fails];
    case "amid":
      return [payment(given, ledger, goesOn ? `; sleep ${BLOW_MS / 1_000}` : "; sleep 600")];
    case "result":
      return [payment(given, ledger), fails];
  }
}

function failureStep({ lane, failure }: OnceCase): Step | undefined {
  const own: Readonly<Record<string, Step>> = lane === "api" ? upstreamFailures : agentFailures;
  return own[failure];
}

function payment({ lane, owner }: OnceCase, ledger: string, after = ""): Step {
  const args = { command: `echo paid >> '${ledger}'${after}` };
  if (owner === "agent") return { tool: { name: "shell", args } };
  const call = owner === "client" ? { name: "pay", args: {} } : { name: "exec", args };
  return { tool: lane === "contract" ? call : { server: "caret", ...call } };
}
