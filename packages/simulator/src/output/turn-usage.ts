/** The tokens of a whole turn, as the CLI counts them: cache apart from input. */
export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export const noUsage: TurnUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function addUsage(before: TurnUsage, added: TurnUsage): TurnUsage {
  return {
    inputTokens: before.inputTokens + added.inputTokens,
    outputTokens: before.outputTokens + added.outputTokens,
    cacheReadTokens: before.cacheReadTokens + added.cacheReadTokens,
    cacheWriteTokens: before.cacheWriteTokens + added.cacheWriteTokens,
  };
}

const charactersPerToken = 4;

/** For turns whose mind did not count: about what their texts would cost. */
export function estimateUsage(inputCharacters: number, outputCharacters: number): TurnUsage {
  const toTokens = (characters: number) => Math.ceil(characters / charactersPerToken);
  return { ...noUsage, inputTokens: toTokens(inputCharacters), outputTokens: toTokens(outputCharacters) };
}
