import type { ToolActivity } from "@caret/protocol";
import { elapsedText } from "./amount-text.ts";
import { displayWidth, shortenMiddle } from "./shorten.ts";
import { shownArgument, toolName } from "./tool-line.ts";

const MIN_ARGUMENT = 8;

/** What a turn is doing right now, according to its events. */
export interface TurnMoment {
  readonly isStopping: boolean;
  readonly hasBegun: boolean;
  readonly hasSpoken: boolean;
  readonly openBlock: "text" | "thinking" | undefined;
  /** Whether a question or approval has no answer yet. */
  readonly isAsking: boolean;
  /** Unsettled calls, oldest first, with their elapsed time. */
  readonly running: readonly { readonly tool: ToolActivity; readonly elapsedMs: number }[];
  readonly workspace: string | undefined;
}

/** Describes it in a few words; `width` limits the longest part, a command. */
export function waitingFor(moment: TurnMoment, width: number, ellipsis: string): string {
  if (moment.isStopping) return "stopping";
  if (!moment.hasBegun) return "starting";
  const [oldest] = moment.running;
  if (oldest !== undefined) return waitingForTool(oldest, moment, width, ellipsis);
  if (moment.isAsking) return "waiting for an answer";
  if (moment.openBlock !== undefined) return moment.openBlock === "text" ? "writing" : "thinking";
  return moment.hasSpoken ? "waiting for the next word" : "waiting for the first word";
}

function waitingForTool(
  { tool, elapsedMs }: TurnMoment["running"][number],
  { running, workspace }: TurnMoment,
  width: number,
  ellipsis: string,
): string {
  const others = running.length > 1 ? ` (and ${running.length - 1} more)` : "";
  const time = ` ${elapsedText(elapsedMs)}${others}`;
  const name = toolName(tool);
  const whole = shownArgument(tool, workspace);
  const room = width - displayWidth(name) - time.length - 2;
  // One or two letters of a long command are not informative.
  const argument = room < MIN_ARGUMENT && displayWidth(whole) > room ? "" : shortenMiddle(whole, room, ellipsis);
  return `${name}${argument === "" ? "" : `: ${argument}`}${time}`;
}
