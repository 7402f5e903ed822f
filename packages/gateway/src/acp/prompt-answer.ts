import type { PromptResponse } from "@agentclientprotocol/sdk";
import { CaretError, promptTokens, type TurnOutcome, type Usage } from "@caret/protocol";

/** Errors of limits that Caret itself sets on a turn: ACP has a stop reason for those. */
const LIMITS: ReadonlySet<string> = new Set(["loop-stopped", "budget-exceeded"]);

/** A turn's outcome as the answer to its prompt. A failed turn rejects the prompt: `end_turn` would be a lie. */
export function promptAnswer(outcome: TurnOutcome, usage: Usage | undefined): PromptResponse {
  const spent = usage === undefined ? {} : { usage: toAcpUsage(usage) };
  if (outcome.kind === "completed") return { stopReason: "end_turn", ...spent };
  if (outcome.kind === "cancelled") return { stopReason: "cancelled", ...spent };
  if (LIMITS.has(outcome.error.code))
    return { stopReason: "max_turn_requests", ...spent, _meta: { "caret/error": outcome.error } };
  throw CaretError.fromInfo(outcome.error);
}

/** A field of the protocol's unstable part, which stable clients ignore. Unknown counts are absent. */
function toAcpUsage(usage: Usage): object {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  return {
    totalTokens: promptTokens(usage) + (output ?? 0),
    ...(input === undefined ? {} : { inputTokens: input }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(reasoning === undefined ? {} : { thoughtTokens: reasoning }),
    ...(cacheRead === undefined ? {} : { cachedReadTokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cachedWriteTokens: cacheWrite }),
  };
}
