import { type ErrorInfo, type TurnOutcome, type TurnSummary, unknownCount, usageWords } from "@caret/protocol";
import { durationText } from "./amount-text.ts";
import type { Look } from "./look.ts";
import { displayWidth } from "./shorten.ts";
import { cleanLine, cleanText } from "./text-cleaner.ts";

/** The last lines of upstream's output give the reason; the rest is in the log. */
const UPSTREAM_LINES = 8;

export interface Closing extends Look {
  readonly turn: TurnSummary;
  readonly outcome: TurnOutcome;
  readonly durationMs: number;
  readonly cost: number | undefined;
  readonly sessionId: string | undefined;
  readonly columns: number;
}

/** How the turn ended, how long it took, its usage and cost, and the session to continue. */
export function closingLines(closing: Closing): string[] {
  const { turn, outcome, durationMs, cost, sessionId, columns, style, glyphs } = closing;
  const between = ` ${glyphs.separator} `;
  const facts = [
    `${outcome.kind} in ${durationText(durationMs)}`,
    ...usageWords({ ...turn.usage, ...(cost === undefined ? {} : { cost }) }),
  ].join(between);
  const session = sessionId === undefined ? "" : `session ${sessionId}`;
  const mark = outcomeMark(outcome, closing);
  const fits = displayWidth(facts) + displayWidth(session) + 5 < columns;
  const tail = session === "" || !fits ? facts : `${facts}${between}${session}`;
  return [
    ...(outcome.kind === "failed" ? errorLines(outcome.error, closing) : []),
    ...unknownLines(turn, closing),
    `${mark} ${style.dim(tail)}`,
    ...(session === "" || fits ? [] : [`  ${style.dim(session)}`]),
  ];
}

/** What failed, including the upstream's words, and what to do about it. */
export function errorLines({ code, message, upstream, fix }: ErrorInfo, { style, glyphs }: Look): string[] {
  const words = cleanText(upstream ?? "")
    .trim()
    .split("\n");
  const kept = words.slice(-UPSTREAM_LINES).filter((line) => line.trim() !== "");
  return [
    `${style.red(cleanLine(message))} ${style.dim(`[${code}]`)}`,
    ...kept.map((line) => style.dim(`  ${glyphs.quote} ${line}`)),
    `  ${glyphs.arrow} ${cleanLine(fix)}`,
  ];
}

function outcomeMark({ kind }: TurnOutcome, { style, glyphs }: Look): string {
  if (kind === "completed") return style.green(glyphs.ok);
  return kind === "failed" ? style.red(glyphs.failed) : style.yellow(glyphs.stopped);
}

function unknownLines(turn: TurnSummary, { style, glyphs }: Look): readonly string[] {
  const count = unknownCount(turn);
  if (count === 0) return [];
  const labels = Object.keys(turn.unknown).map(cleanLine).join(", ");
  return [style.dim(`${glyphs.notice} ${count} ${count === 1 ? "event is" : "events are"} new to Caret: ${labels}`)];
}
