import { CaretError } from "@caret/protocol";
import { type Lane, type LaneRequest, outcomeOfStop } from "../lane.ts";
import { createAttemptRunner, type OpenedAttempt } from "../run-attempts.ts";
import { type ApiAccess, createApiAccess } from "./api-access.ts";
import type { ApiHost } from "./api-host.ts";
import { openRun } from "./open-run.ts";
import { readRun } from "./read-run.ts";
import { requestedModelOf } from "./requested-model.ts";

/** Without profiles of its own a model logs in with the key of Caret's environment, or the login that Caret keeps. */
const DEFAULT_PROFILE = "default";

/** What runs the turns of the API lane. */
export function createApiTurns(host: ApiHost): Lane["runTurn"] {
  const runAttempts = createAttemptRunner(host.wallClock);
  const accesses = new Map<string, ApiAccess>();
  const accessOf = (profile: string): ApiAccess => {
    const access = accesses.get(profile) ?? createApiAccess(host, profile);
    accesses.set(profile, access);
    return access;
  };

  const open = async (
    request: LaneRequest,
    profile: string,
    model: string,
    signal: AbortSignal,
  ): Promise<OpenedAttempt> => {
    try {
      signal.throwIfAborted();
      const access = accessOf(profile);
      const requested = await requestedModelOf(model, () => access.models(signal));
      return { batches: readRun(await openRun({ host, access, request, model: requested, signal })) };
    } catch (reason) {
      const failed = { kind: "failed", error: CaretError.from(reason).toInfo() } as const;
      const outcome = signal.aborted ? outcomeOfStop(signal) : failed;
      return { batches: [[{ event: { type: "turn-end", outcome } }]] };
    }
  };

  return (request, signal) => {
    const { profiles, fallbackModels } = host.programs(request.model);
    const [first = DEFAULT_PROFILE, ...others] = profiles;
    return runAttempts({
      profiles: [first, ...others],
      models: [request.model, ...fallbackModels],
      open: ({ profile, model }) => open(request, profile, model, signal),
      signal,
    });
  };
}
