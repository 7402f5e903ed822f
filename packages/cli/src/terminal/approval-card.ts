import { type AgentEventOf, type ApprovalPart, approvalView, partLines } from "@caret/protocol";
import type { Look } from "./look.ts";
import { wrapHard } from "./wrap-hard.ts";

type Request = AgentEventOf<"approval-request">;

/** How long a grant lasts: `caret run` forgets it after its only turn, a gateway with the session. */
export type GrantSpan = "turn" | "session";

export interface CardLook extends Look {
  /** Width at which the terminal breaks lines; undefined if nothing breaks them. */
  readonly columns: number | undefined;
}

export interface ApprovalCard {
  /** Everything that is asked about. */
  readonly body: readonly string[];
  /** What can be typed once the body was on the screen. */
  readonly keys: readonly string[];
}

/**
 * Everything a person should know before deciding: the view that every door shows. Each line starts with our own mark, even where it was
 * wrapped, so none of the agent's text can pass for another line of the card.
 */
export function approvalCard(request: Request, look: CardLook, span: GrantSpan): ApprovalCard {
  const { style, glyphs } = look;
  const { name, parts, grants } = approvalView(request);
  const head = `${style.yellow(glyphs.question)} ${style.bold(`The agent wants to use ${name}`)}`;
  return {
    body: [head, ...parts.flatMap((part) => linesOf(part, look))],
    keys: [
      ...grants.map(({ label }, index) => `  ${style.bold(keyOf(index))} = yes, and always in this ${span}: ${label}`),
      `  ${style.bold("y")} = yes, once   ${style.bold("n")} = no (${style.bold("n because …")} tells the agent why); then Enter`,
    ],
  };
}

/** What to type for a grant: `a` for the narrowest, `a2` for the next. */
export function keyOf(index: number): string {
  return index === 0 ? "a" : `a${index + 1}`;
}

function linesOf(part: ApprovalPart, look: CardLook): readonly string[] {
  return partLines(part).flatMap((line, index) => {
    const paint = part.kind === "change" && index > 0 ? changePaint(line, look.style) : paintOf(part.kind, look.style);
    return wrapHard(`  ${line}`, look).map(paint);
  });
}

type Style = Look["style"];

function paintOf(kind: ApprovalPart["kind"], style: Style): (line: string) => string {
  if (kind === "danger") return style.red;
  if (kind === "change") return style.bold;
  return kind === "arguments" || kind === "reason" ? style.dim : (line) => line;
}

function changePaint(line: string, style: Style): (line: string) => string {
  if (line.startsWith("+")) return style.green;
  return line.startsWith("-") ? style.red : style.dim;
}
