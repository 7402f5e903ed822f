/** The variables that a file of ours sets when a shell reads it: what stands between quotes, as it is. */
export function parseVariables(text: string): Readonly<Record<string, string>> {
  const lines = text.split("\n").flatMap((line) => {
    const [, name, value = ""] = /^export (\w+)=(.*)$/s.exec(line) ?? [];
    return name === undefined ? [] : [[name, withoutQuotes(value.replace(/\r$/, ""))] as const];
  });
  return Object.fromEntries(lines);
}

function withoutQuotes(value: string): string {
  const isQuoted = ['"', "'"].some((quote) => value.length > 1 && value.startsWith(quote) && value.endsWith(quote));
  return isQuoted ? value.slice(1, -1) : value;
}
