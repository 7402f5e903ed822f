import type { AgentEventOf, ToolActivity } from "@caret/protocol";
import type { Look } from "./look.ts";
import { shortenEnd } from "./shorten.ts";
import { cleanLine } from "./text-cleaner.ts";

/** Limits, since a long output would push everything else off the screen. */
const MAX_LIVE = 20;
const MAX_TAIL = 10;

export interface CommandOutputOptions extends Look {
  readonly columns: () => number;
  /** Whether lines are shown as they arrive. */
  readonly isLive: boolean;
}

/** Output of commands: their first lines while they run, and the last lines of one that did not succeed. */
export interface CommandOutput {
  /** The complete lines so far, up to the limit. */
  push(event: AgentEventOf<"tool-output">): readonly string[];
  /** What else to show of a settled call. */
  settle(tool: ToolActivity): readonly string[];
}

interface Printed {
  /** An incomplete line. */
  rest: string;
  shown: number;
}

export function createCommandOutput({ style, glyphs, columns, isLive }: CommandOutputOptions): CommandOutput {
  const printed = new Map<string, Printed>();
  const show = (line: string): string =>
    style.dim(`  ${glyphs.quote} ${shortenEnd(cleanLine(line), columns() - 5, glyphs.ellipsis)}`);

  return {
    push({ callId, text }) {
      if (!isLive) return [];
      const call = printed.get(callId) ?? { rest: "", shown: 0 };
      printed.set(callId, call);
      const lines = (call.rest + text).split("\n");
      call.rest = lines.pop() ?? "";
      const room = Math.max(0, MAX_LIVE - call.shown);
      call.shown += lines.length;
      const more = room > 0 && lines.length > room ? [style.dim(`  ${glyphs.quote} ${glyphs.ellipsis}`)] : [];
      return [...lines.slice(0, room).map(show), ...more];
    },
    settle(tool) {
      const shown = printed.get(tool.callId)?.shown ?? 0;
      printed.delete(tool.callId);
      if (!isFailedCommand(tool)) return [];
      const lines = outputLinesOf(tool.output);
      // Output that was streamed completely is not printed again.
      const unseen = shown > MAX_LIVE ? lines : lines.slice(shown);
      const tail = unseen.slice(-MAX_TAIL);
      const cut = unseen.length > MAX_TAIL && shown === 0 ? [style.dim(`  ${glyphs.quote} ${glyphs.ellipsis}`)] : [];
      return [...cut, ...tail.map(show)];
    },
  };
}

export function isFailedCommand({ kind, status, notRun }: ToolActivity): boolean {
  return kind === "shell" && (status === "error" || (status === "interrupted" && notRun !== true));
}

/** Drops the trailing note: how the command ended is shown elsewhere. */
export function outputLinesOf(output: string): readonly string[] {
  const lines = output.trimEnd().split("\n");
  if (/^\[.*\]$/.test(lines.at(-1) ?? "")) lines.pop();
  return lines.filter((line, index) => line.trim() !== "" || (index > 0 && index < lines.length - 1));
}
