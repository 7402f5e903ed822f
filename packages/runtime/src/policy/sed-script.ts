const ADDRESS = /\s*(?:\d+(?:~\d+)?|\$|\/(?:[^\\/\n[]|\\.|\[[^\]/\n]*\])*\/[IM]*|[+~]\d+)\s*/y;
/** Commands that end a line or stand before a `;`, with what may follow them. */
const PLAIN = /(?:[pPdDhHgGxnN=zF{}]|[qQlL]\s*\d*|[btT]\s*[\w-]*|:\s*[\w-]+|[aicrR](?:[^\n\\]|\\[\s\S])*)\s*/y;

/** Whether a script of sed only edits: its `e`, `w` and `s///e` run commands and write files. */
export function isPlainSedScript(script: string): boolean {
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0].length;
    at += found ?? 0;
    return found !== undefined;
  };
  while (at < script.length) {
    if (skip(/[\s;]+/y)) continue;
    if (skip(ADDRESS) && skip(/,/y)) skip(ADDRESS);
    skip(/\s*!\s*/y);
    const end = /[sy]/.test(script.charAt(at)) ? endOfSubstitution(script, at) : undefined;
    if (end !== undefined) at = end;
    else if (!skip(PLAIN)) return false;
  }
  return true;
}

/** Behind `s/a/b/flags`; undefined when it does not end, or one of its flags runs or writes. */
function endOfSubstitution(script: string, start: number): number | undefined {
  const delimiter = script.charAt(start + 1);
  if (!/[/|#,:!@%_~^+]/.test(delimiter)) return undefined;
  let at = start + 2;
  for (let seen = 0; seen < 2; at += 1) {
    const character = script.charAt(at);
    if (character === "") return undefined;
    if (character === "\\") at += 1;
    else if (character === delimiter) seen += 1;
  }
  // Not every sed ends the pattern at a delimiter within brackets.
  if (new RegExp(`\\[[^\\]]*\\${delimiter}`).test(script.slice(start + 2, at))) return undefined;
  const flags = /^[gpiIM0-9]*\s*(?=[;}\n]|$)/.exec(script.slice(at))?.[0];
  return flags === undefined ? undefined : at + flags.length;
}
