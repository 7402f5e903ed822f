/**
 * Prints the `tool_name` of a hook's event, but only if the event is one JSON object that has exactly one such member, at the top level,
 * as a string without escapes. Anything inside the tool's own input is skipped.
 *
 * It is awk because a shell cannot read JSON and Node takes twenty times as long to start, for every tool call. Escapes are replaced
 * first, so quotes alone separate strings from structure: the time is linear in the length.
 */
const readToolName = `
{ text = text $0 "\\n" }
END {
  gsub(/\\\\./, "\\001", text)
  parts = split(text, part, /"/)
  if (parts % 2 == 0) exit 1
  want = "value"
  for (i = 1; i <= parts; i++) {
    if (i % 2 == 0) { string(part[i]); continue }
    gsub(/[-+.0-9A-Za-z]+/, "w", part[i])
    gsub(/[ \\t\\r\\n]+/, "", part[i])
    count = length(part[i])
    for (j = 1; j <= count; j++) sign(substr(part[i], j, 1))
  }
  if (want != "end" || names != 1) exit 1
  print name
}
function ended() { isName = 0; want = depth == 0 ? "end" : "next" }
function string(s) {
  if (want ~ /key/) {
    if (depth == 1 && s ~ /\\001/) exit 1
    isName = depth == 1 && s == "tool_name"
    names += isName
    want = "colon"
  } else if (want ~ /value/) {
    if (isName && s ~ /[\\001-\\037]/) exit 1
    if (isName) name = s
    ended()
  } else exit 1
}
function sign(c) {
  if (c == ":" && want == "colon") want = "value"
  else if (c == "," && want == "next") want = open[depth] == "{" ? "key" : "value"
  else if (c == "w" && want ~ /value/ && !isName) ended()
  else if ((c == "{" || c == "[") && want ~ /value/ && !isName) {
    open[++depth] = c
    want = c == "{" ? "key or close" : "value or close"
  } else if (depth > 0 && want ~ /close|next/ && ((c == "}" && open[depth] == "{") || (c == "]" && open[depth] == "["))) {
    depth--
    ended()
  } else exit 1
}
`;

/** A shell script that allows calls of the named MCP tools and refuses everything else, in words the model can act on. */
export function denyHookScript(toolNames: readonly string[], message: string): string {
  const denial = { permission: "deny", user_message: message, agent_message: message, agentMessage: message };
  const allowed = toolNames.filter((name) => /^[\w.-]+$/.test(name)).map((name) => quote(`MCP:${name}`));
  const pass = allowed.length === 0 ? "" : `  ${allowed.join("|")}) echo '{"permission":"allow"}'; exit 0 ;;\n`;
  return [
    "#!/bin/sh",
    "LC_ALL=C; export LC_ALL",
    `name=$(awk ${quote(readToolName)}) || name=`,
    `case "$name" in\n${pass}esac`,
    `echo ${quote(JSON.stringify(denial))}`,
    `echo ${quote(message)} >&2`,
    "exit 2\n",
  ].join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
