import { pulled } from "../../async/pulled.ts";
import type { Lane, LaneEntry, LaneRequest } from "../lane.ts";

/** A turn of a lane as a loop, for tests that act between two batches. Leaving the loop cancels the turn. */
export function pullTurn(
  lane: Pick<Lane, "runTurn">,
  request: LaneRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly LaneEntry[], void, undefined> {
  const left = new AbortController();
  return pulled(
    (take) => lane.runTurn(request, take, AbortSignal.any([signal, left.signal])),
    () => left.abort(),
  );
}
