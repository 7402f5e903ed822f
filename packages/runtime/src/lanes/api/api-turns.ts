import { CaretError } from "@caret/protocol";
import type { Attempt } from "../../profiles/rotation.ts";
import type { Lane, LaneRequest } from "../lane.ts";
import { createAttemptRunner, type OpenedAttempt, unopened } from "../run-attempts.ts";
import { type ApiAccess, createApiAccess } from "./api-access.ts";
import type { ApiHost } from "./api-host.ts";
import { type ApiRun, openRun } from "./open-run.ts";
import { readRun } from "./read-run.ts";
import { requestedModelOf } from "./requested-model.ts";

/** A model without profiles logs in with the key of Caret's environment, or the login that Caret keeps. */
const DEFAULT_PROFILE = "default";

export type ApiTurns = Required<Pick<Lane, "runTurn" | "steer">>;

/** Runs the turns of the API lane. */
export function createApiTurns(host: ApiHost): ApiTurns {
  const running = new Map<string, ApiRun>();
  const runAttempts = createAttemptRunner(host.wallClock);
  const accesses = new Map<string, ApiAccess>();
  const accessOf = (profile: string): ApiAccess => {
    const access = accesses.get(profile) ?? createApiAccess(host, profile);
    accesses.set(profile, access);
    return access;
  };

  const leave = (turnId: string, run: ApiRun): void => {
    if (running.get(turnId) === run) running.delete(turnId);
    run.leave();
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
      const token = await access.credentials.accessToken(signal);
      const requested = await requestedModelOf(model, () => access.models(token, signal));
      const run = await openRun({ host, access, token, request, model: requested, signal });
      running.set(request.turnId, run);
      return {
        async run(take) {
          try {
            return await readRun({ ...run, leave: () => leave(request.turnId, run) }, take);
          } finally {
            await run.settled();
          }
        },
      };
    } catch (reason) {
      return unopened(reason, signal);
    }
  };

  return {
    runTurn(request, take, signal) {
      const { profiles, fallbackModels } = host.programs(request.model);
      const [first = DEFAULT_PROFILE, ...others] = profiles;
      const attempts = {
        profiles: [first, ...others],
        models: [request.model, ...fallbackModels],
        open: ({ profile, model }: Attempt) => open(request, profile, model, signal),
        acts: request.acts,
        signal,
      } as const;
      return runAttempts(attempts, take);
    },
    async steer(turnId, text) {
      const run = running.get(turnId);
      if (run === undefined) throw new CaretError("unsupported", "The turn is not at the upstream now");
      await run.steer(text);
    },
  };
}
