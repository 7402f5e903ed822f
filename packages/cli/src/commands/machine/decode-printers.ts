import {
  type AgentEvent,
  addUsage,
  summariseEvents,
  summaryOf,
  TurnFold,
  type TurnSummary,
  type Usage,
  unknownCount,
} from "@caret/protocol";
import type { Decoder } from "@caret/runtime";
import type { Host } from "../../host/host.ts";
import { write } from "../../terminal/print.ts";

export type DecodeFormat = "events" | "text" | "summary";

/** Prints a decoded recording. */
export interface DecodePrinter {
  print(events: readonly AgentEvent[]): Promise<void>;
  finish(decoder: Decoder): Promise<void>;
}

export function createDecodePrinter(host: Host, format: DecodeFormat): DecodePrinter {
  if (format === "summary") return summaryPrinter(host);
  return format === "text" ? textPrinter(host) : eventPrinter(host);
}

function eventPrinter({ stdout, stderr }: Host): DecodePrinter {
  return {
    print: (events) => write(stdout, events.map((event) => `${JSON.stringify(event)}\n`).join("")),
    // On standard error, so standard output holds only events.
    finish: (decoder) => write(stderr, `caret: decoded as ${decoder.dialect}\n`),
  };
}

/** Prints the text verbatim, with a blank line around each plan and between turns. */
function textPrinter({ stdout }: Host): DecodePrinter {
  let tail = "";
  let isApart = false;
  const put = (text: string): string => {
    if (text === "") return "";
    const gap = isApart && tail !== "" ? "\n\n".slice(/\n{0,2}$/.exec(tail)?.[0].length) : "";
    tail = (tail + gap + text).slice(-2);
    isApart = false;
    return gap + text;
  };
  const toText = (event: AgentEvent): string => {
    if (event.type === "text-delta") return put(event.text);
    if (event.type !== "plan" && event.type !== "turn-start") return "";
    isApart = true;
    const plan = event.type === "plan" ? put(event.text) : "";
    isApart = true;
    return plan;
  };
  return {
    print: (events) => write(stdout, events.map(toText).join("")),
    finish: () => write(stdout, stdout.isTTY === true ? "\n" : ""),
  };
}

function summaryPrinter({ stdout }: Host): DecodePrinter {
  const folds: TurnFold[] = [];
  return {
    async print(events) {
      for (const event of events) {
        if (event.type === "turn-start" || folds.length === 0) folds.push(new TurnFold());
        folds.at(-1)?.add(event);
      }
    },
    async finish({ dialect }) {
      const turns = folds.map(({ turn }) => summaryOf(turn));
      const summaries = turns.map((turn) => ({ dialect, ...toSummary(turn) }));
      const [only, ...others] = summaries;
      const whole = others.length === 0 ? only : { dialect, ...toSummary(joinTurns(turns)), turns: summaries };
      await write(stdout, `${JSON.stringify(whole)}\n`);
    },
  };
}

/** Merges the turns of a recording into one: everything said and done, in order. */
function joinTurns(turns: readonly TurnSummary[]): TurnSummary {
  const last = turns.at(-1) ?? summariseEvents([]);
  const unknown = new Map<string, number>();
  for (const [label, count] of turns.flatMap((turn) => Object.entries(turn.unknown)))
    unknown.set(label, (unknown.get(label) ?? 0) + count);
  return {
    ...last,
    segments: turns.flatMap(({ segments }) => segments),
    thinking: turns.flatMap(({ thinking }) => thinking),
    tools: turns.flatMap(({ tools }) => tools),
    plan: turns.findLast(({ plan }) => plan !== undefined)?.plan,
    usage: turns.reduce<Usage | undefined>((sum, { usage }) => addUsage(sum, usage), undefined),
    notices: turns.flatMap(({ notices }) => notices),
    unknown: Object.fromEntries(unknown),
    outcome: turns.find(({ outcome }) => outcome?.kind !== "completed")?.outcome ?? last.outcome,
  };
}

/** The summary's published shape; see docs/commands.md. */
function toSummary(turn: TurnSummary) {
  return {
    sessionId: turn.sessionId ?? null,
    model: turn.model ?? null,
    text: turn.segments.join(""),
    segments: turn.segments,
    thinking: turn.thinking.join("\n\n"),
    tools: turn.tools,
    todos: turn.todos,
    plan: turn.plan ?? null,
    usage: turn.usage ?? null,
    notices: turn.notices,
    unknown: unknownCount(turn),
    unknownLabels: turn.unknown,
    outcome: turn.outcome,
  };
}
