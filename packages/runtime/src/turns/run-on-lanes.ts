import type { CaretError, ErrorCode } from "@caret/protocol";
import { type Lane, type LaneRequest, outcomeOfStop, type TakeEntries } from "../lanes/lane.ts";
import { createWithheldEnd, withOtherBlocks } from "../lanes/withheld-end.ts";
import { firstReady } from "./pick-lane.ts";

/** Failures of the lane itself, as opposed to the login, the model or the account, which are the same on any lane. */
const ofTheLane: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "agent-crashed",
  "agent-unavailable",
  "cli-broken",
  "cli-outdated",
  "no-result",
  "protocol-drift",
  "session-not-found",
  "stalled",
  "unsupported",
]);

export interface RunOnLanesOptions {
  /** The turn's lane, then those that can replace it. */
  readonly lanes: readonly [Lane, ...Lane[]];
  readonly prepare: (lane: Lane) => Promise<LaneRequest>;
  readonly signal: AbortSignal;
}

/**
 * Runs a turn on the first of these lanes. If that fails for a reason of its own before the turn has acted, the next ready lane takes
 * over, and a notice says so. A turn that is stopped in between is not tried on another lane.
 */
export async function runOnLanes(options: RunOnLanesOptions, take: TakeEntries): Promise<void> {
  const { signal } = options;
  let [lane, ...others] = options.lanes;
  let hasBlocks = false;
  for (;;) {
    const request = await requestFor(lane, options);
    if (request === undefined)
      return void (await take([{ event: { type: "turn-end", outcome: outcomeOfStop(signal) } }]));
    const isAverted = ({ code }: CaretError): boolean => others.length > 0 && ofTheLane.has(code);
    const withheld = createWithheldEnd({ canBeAverted: isAverted, acts: request.acts, signal });
    const { name } = lane;
    const own = hasBlocks ? withOtherBlocks(take, (blockId) => `${name}-${blockId}`) : take;
    await lane.runTurn(request, withheld.before(own), signal);
    hasBlocks ||= withheld.hasBlocks();
    const { failure, entries } = withheld.ending();
    if (entries.length > 0) await take(entries);
    if (failure === undefined) return;
    const next = await firstReady(others);
    if (next === undefined) return void (await take([failure.entry]));
    const message = `The ${lane.name} lane failed (${failure.error.message}); the ${next.name} lane runs the turn`;
    await take([{ event: { type: "notice", kind: "lane-fallback", message } }]);
    others = others.filter((other) => other !== next);
    lane = next;
  }
}

/** The lane's request; undefined if the turn was stopped before it was ready. */
async function requestFor(lane: Lane, { prepare, signal }: RunOnLanesOptions): Promise<LaneRequest | undefined> {
  if (signal.aborted) return undefined;
  const request = await prepare(lane);
  return signal.aborted ? undefined : request;
}
