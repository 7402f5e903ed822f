/** The variables that a file of ours sets when a shell reads it: what stands between quotes, as it is. */
export function parseVariables(text: string): Readonly<Record<string, string>> {
  const lines = text.matchAll(/^export (\w+)=(?:"([^\n]*)"|'([^\n]*)'|([^\n]*))$/gm);
  return Object.fromEntries(
    Array.from(lines, ([, name = "", double, single, bare]) => [name, double ?? single ?? bare ?? ""]),
  );
}
