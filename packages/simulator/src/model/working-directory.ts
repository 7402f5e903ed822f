/** How clients name their working directory to the model. */
const patterns: readonly RegExp[] = [
  /<cwd>\s*(\/[^\n<]*[^\s<])/i,
  /\bworking director(?:y|ies)\**\s*(?:is|:|=)*\s*\(?[`"']?(\/[^\n`"'<)]*[^\s`"'<.,;)])/i,
  /\b(?:working|operating|running) (?:in|from|inside)(?: the)?(?: director(?:y|ies))?:?\s*[`"']?(\/[^\n`"'<)]*[^\s`"'<.,;)])/i,
  /\b(?:current directory|workspace(?: root)?(?: folder| directory| path)?|project (?:root|directory)|repository root|cwd|pwd)\**\s*(?:is|:|=)+\s*[`"']?(\/[^\n`"'<)]*[^\s`"'<.,;)])/i,
  /^%\s*pwd\n(\/[^\n]*\S)/im,
];

/** The client's working directory: given by a system prompt, or by a message in the user's name. The newest word counts. */
export function workingDirectoryIn(texts: readonly string[]): string | undefined {
  for (const text of texts.toReversed())
    for (const pattern of patterns) {
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) return found;
    }
  return undefined;
}
