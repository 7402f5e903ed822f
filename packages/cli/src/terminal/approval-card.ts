import { type AgentEventOf, markHidden } from "@caret/protocol";
import { diffLines } from "./diff-lines.ts";
import type { Look } from "./look.ts";

type Request = AgentEventOf<"approval-request">;

/** How long a grant lasts: `caret run` forgets it with its only turn, a gateway with the session. */
export type GrantSpan = "turn" | "session";

/**
 * Everything a person should know before deciding, as the page shows it: what would run or change, every other argument,
 * why it is asked, why it is dangerous, and what may be allowed for the rest of the session. Characters that cannot be seen
 * are written out, so that nothing here steers the terminal.
 */
export function approvalCard(request: Request, look: Look, span: GrantSpan): string[] {
  const { style, glyphs } = look;
  const { subject, server, reason, danger, effect, diff, grants = [] } = request;
  const name = server === undefined ? subject : `${server}/${subject}`;
  const { command, ...rest } = argumentsOf(request);
  const isCommand = typeof command === "string";
  const { said, ...others } = withReason(request, isCommand || command === undefined ? rest : { command, ...rest });
  return [
    `${style.yellow(glyphs.question)} ${style.bold(`The agent wants to use ${markHidden(name)}`)}`,
    ...(isCommand ? indented(command).map((line, index) => (index === 0 ? `  $${line.slice(1)}` : `  ${line}`)) : []),
    ...(said === undefined ? [] : indented(said)),
    ...(effect === undefined ? [] : indented(effect)),
    ...(diff === undefined ? [] : diffLines(diff, look)),
    ...(Object.keys(others).length === 0 ? [] : indented(JSON.stringify(others, undefined, 2)).map(style.dim)),
    ...(danger === undefined ? [] : indented(`Dangerous: ${danger}`).map(style.red)),
    ...(reason === undefined || reason === danger ? [] : indented(reason).map(style.dim)),
    ...grants.map(
      ({ label }, index) => `  ${style.bold(keyOf(index))} = yes, and always in this ${span}: ${markHidden(label)}`,
    ),
    `  ${style.bold("y")} = yes, once   ${style.bold("n")} = no (${style.bold("n because …")} tells the agent why); then Enter`,
  ];
}

/** What is typed for a grant: `a` for the narrowest, `a2` for the next. */
export function keyOf(index: number): string {
  return index === 0 ? "a" : `a${index + 1}`;
}

/** `said` is why, in the agent's words: its own argument of our tools. A tool of an MCP server may mean anything by that name. */
function withReason(
  { server }: Request,
  { description, ...rest }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> & { readonly said?: string } {
  if (typeof description === "string" && server === undefined) return { ...rest, said: description };
  return description === undefined ? rest : { description, ...rest };
}

/** What the diff shows already is left out. */
function argumentsOf({ input, diff, server }: Request): Readonly<Record<string, unknown>> {
  if (typeof input !== "object" || input === null) return input === undefined ? {} : { input };
  if (diff === undefined) return { ...input };
  const path = server === undefined ? ["path"] : [];
  const shown = new Set([...path, "content", "old", "new", "oldText", "newText", "old_string", "new_string"]);
  return Object.fromEntries(Object.entries(input).filter(([key]) => !shown.has(key)));
}

function indented(text: string): string[] {
  return markHidden(text)
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`);
}
