import { type ModelView, promptTokens, type TranscriptTurn } from "@caret/protocol";

/** How full the conversation is as the model sees it. Without `size` nobody said how much the model takes. */
export interface ContextUse {
  readonly used: number;
  readonly size?: number;
}

/**
 * As of the last turn that has ended, or unknown. Upstream's own word counts. Without it a turn without calls tells: it asked the
 * model once, so that what went in and came out is the conversation. What a turn with calls has used is a sum over several
 * requests and says nothing about it.
 */
export function contextUse(
  turns: readonly TranscriptTurn[],
  models: readonly ModelView[] | undefined,
): ContextUse | undefined {
  const turn = turns.findLast(({ outcome }) => outcome !== undefined);
  if (turn === undefined) return undefined;
  const used = turn.context?.used ?? ofOneRequest(turn);
  if (used === undefined) return undefined;
  const size = turn.context?.size ?? sizeOf(turn.start?.model, models);
  return size === undefined ? { used } : { used, size };
}

function ofOneRequest({ usage, items }: TranscriptTurn): number | undefined {
  const isWhole = usage?.input !== undefined && usage.output !== undefined;
  if (!isWhole || items.some(({ kind }) => kind === "tool")) return undefined;
  return promptTokens(usage) + (usage.output ?? 0);
}

function sizeOf(model: string | undefined, models: readonly ModelView[] | undefined): number | undefined {
  return models?.find(({ id, variants }) => id === model || variants.some((variant) => variant.id === model))
    ?.contextTokens;
}
