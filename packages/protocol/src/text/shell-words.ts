/** Quotes a command for a POSIX shell. */
export function toShell(words: readonly string[]): string {
  return words.map((word) => (/^[\w@+=:,./%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

const PLACEHOLDER = /^<[\w ]+>$/;

/** Lines that set variables. A value that starts with `$(` is a command; `<token>` is for a person to replace. */
export function exportLines(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${shellValue(value)}`)
    .join("\n");
}

function shellValue(value: string): string {
  if (value.startsWith("$(")) return `"${value}"`;
  return PLACEHOLDER.test(value) ? value : toShell([value]);
}
