/** What a tool gave, without the line numbers, tags and headers that clients decorate it with. */
export function cleanOutput(output: string): string {
  const plain = output
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "")
    .replace(/^[\s\S]*?\bOutput:\n(?=[\s\S])/, (head) => (/^(?:Chunk ID|Exit code|Wall time)/m.test(head) ? "" : head));
  const tagged = /<(?:file|content|output)>\n?([\s\S]*?)\n?<\/(?:file|content|output)>/.exec(plain)?.[1];
  const body = (tagged ?? plain).replace(/\n*\((?:End of file|Output capped|Showing)[^\n]*\)\s*$/, "");
  return withoutLineNumbers(body);
}

/** Strips numbers only where every line has its own, one after the other. */
function withoutLineNumbers(text: string): string {
  const lines = text.replace(/\n+$/, "").split("\n");
  const parsed = lines.map((line) => /^\s*(\d+)(?:→|\t|\||: ?)\s?(.*)$/.exec(line));
  const first = Number(parsed[0]?.[1]);
  const isNumbered = parsed.every((match, index) => match !== null && Number(match[1]) === first + index);
  if (!isNumbered) return text;
  return parsed
    .map((match, index) => /^\s*\d+(?:→|\t|\| ?|: ?)(.*)$/.exec(lines[index] ?? "")?.[1] ?? match?.[2] ?? "")
    .join("\n");
}
