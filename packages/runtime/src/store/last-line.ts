import type { AgentEvent } from "@caret/protocol";

const MAX_LENGTH = 200;

/**
 * The first line of what was said last, while it may still grow.
 *
 * - `closed`: nothing more belongs to it. Entered by a prompt, by the end of the line and by the length it may have.
 * - `awaited`: a text block has begun and said nothing yet, so that the line before is still the last one.
 * - `growing`: what the block says next belongs to it.
 */
export interface LastLine {
  readonly text: string;
  readonly state: "closed" | "awaited" | "growing";
}

export const noLine: LastLine = { text: "", state: "closed" };

export function foldLastLine(line: LastLine, event: AgentEvent): LastLine {
  if (event.type === "turn-start") {
    const asked = event.prompt?.trim() ?? "";
    return asked === "" ? line : { ...grow("", asked), state: "closed" };
  }
  if (event.type === "plan") return { ...grow("", event.text.trim()), state: "closed" };
  // Why it failed says more of a session in a list than what was said before.
  if (event.type === "turn-end" && event.outcome.kind === "failed")
    return { ...grow("", event.outcome.error.message.trim()), state: "closed" };
  if (event.type === "text-start") return { text: line.text, state: "awaited" };
  if (event.type !== "text-delta" || line.state === "closed") return line;
  if (line.state === "growing") return grow(line.text, event.text);
  const said = event.text.trimStart();
  return said === "" ? line : grow("", said);
}

function grow(text: string, more: string): LastLine {
  const [said = ""] = more.slice(0, MAX_LENGTH).split(/[\r\n]/, 1);
  const whole = text + said;
  const isOver = said.length < more.length || whole.length >= MAX_LENGTH;
  return { text: isOver ? cut(whole) : whole, state: isOver ? "closed" : "growing" };
}

/** Never through a character that takes two units. */
function cut(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .replace(/[\ud800-\udbff]$/, "")
    .trimEnd();
}
