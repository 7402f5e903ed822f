/** What else comes with a prompt: another speaker, or the word to go on that Caret puts behind the last result. */
const blockEnd = /\n(?=(?:USER|ASSISTANT|SYSTEM)\b)|\n\n(?=These are the results of the calls that you made\.)/;
const blockStart = /^TOOL_RESULT \(name: ([^,\n]+), call_id: [^)\n]+\):?[ \t]*\n?/gm;

/**
 * Results that a client had to write into the prompt because the process that asked for them is gone. Whoever finds
 * some has its answer already and must not ask again.
 */
export function transcriptResults(prompt: string): readonly { readonly name: string; readonly output: string }[] {
  const starts = [...prompt.matchAll(blockStart)];
  return starts.map((start, index) => {
    const end = starts[index + 1]?.index ?? prompt.length;
    const body = prompt.slice(start.index + start[0].length, end);
    return { name: start[1] ?? "", output: (body.split(blockEnd)[0] ?? "").trim() };
  });
}
