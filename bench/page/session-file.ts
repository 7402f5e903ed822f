import type { AgentEvent } from "@caret/protocol";

const BEGAN_AT = Date.UTC(2026, 0, 1);
const words = "The parser reads one line at a time, and every line that is whole becomes an event of the turn. ".repeat(
  2,
);

/** An exported session with so many events: turns in which the agent thinks, speaks, reads, edits and runs something. */
export function sessionFile(events: number): string {
  const lines = [...eventsOfTurns(events)].map(({ turnId, event }, index) =>
    JSON.stringify({ seq: index + 1, turnId, at: BEGAN_AT + index * 40, event }),
  );
  const session = { workspace: "/project", title: "A long session", lane: "cli", createdAt: BEGAN_AT };
  const header = JSON.stringify({ format: "caret-session", version: 1, session });
  return [header, ...lines, JSON.stringify({ end: true, events: lines.length }), ""].join("\n");
}

interface TurnEvent {
  readonly turnId: string;
  readonly event: AgentEvent;
}

function* eventsOfTurns(events: number): Generator<TurnEvent> {
  let left = events;
  for (let turn = 1; left > 0; turn += 1) {
    const turnId = `turn-${turn}`;
    const whole = turnEvents(turnId, turn);
    // The last turn is as long as there is room, and still has its end.
    const fitting = left < whole.length * 2 ? padded(whole, left, turn) : whole;
    for (const event of fitting) yield { turnId, event };
    left -= fitting.length;
  }
}

function padded(whole: readonly AgentEvent[], length: number, turn: number): readonly AgentEvent[] {
  const [end] = whole.slice(-1);
  const notices = Array.from({ length: length - whole.length }, (_, index): AgentEvent => {
    return { type: "notice", kind: "retry", message: `Note ${index} of turn ${turn}` };
  });
  return [...whole.slice(0, -1), ...notices, ...(end === undefined ? [] : [end])];
}

function turnEvents(turnId: string, turn: number): readonly AgentEvent[] {
  return [
    { type: "turn-start", turnId, lane: "cli", model: "auto", prompt: `Prompt ${turn}: make the parser faster` },
    { type: "session-ready", model: "Auto" },
    { type: "thinking-start", blockId: "t" },
    ...Array.from({ length: 8 }, (): AgentEvent => ({ type: "thinking-delta", blockId: "t", text: words })),
    { type: "thinking-end", blockId: "t", durationMs: 2_400 },
    ...[1, 2, 3].flatMap((step) => toolEvents(`${turn}-${step}`)),
    { type: "text-start", blockId: "a" },
    ...Array.from({ length: 24 }, (_, index): AgentEvent => {
      const text = index % 6 === 5 ? `\n\n- \`item ${index}\`: ${words}\n` : words;
      return { type: "text-delta", blockId: "a", text };
    }),
    { type: "text-end", blockId: "a" },
    { type: "usage", usage: { input: 1_000, output: 200 } },
    { type: "turn-end", outcome: { kind: "completed" } },
  ];
}

function toolEvents(id: string): readonly AgentEvent[] {
  const before = Array.from({ length: 12 }, (_, line) => `const value${line} = ${line};`).join("\n");
  const diff = { path: "src/parse.ts", before, after: before.replace("= 6", "= 66") };
  const output = Array.from({ length: 20 }, (_, line) => `\u001b[32mok\u001b[0m ${line} test of the parser`).join("\n");
  const call = { type: "tool-call", owner: "agent" } as const;
  const result = { type: "tool-result", status: "ok", durationMs: 30 } as const;
  return [
    { ...call, callId: `e${id}`, name: "edit", kind: "edit", input: { path: diff.path } },
    { ...result, callId: `e${id}`, output: "Done", diff },
    { ...call, callId: `s${id}`, name: "shell", kind: "shell", input: { command: "npm test" } },
    { type: "tool-output", callId: `s${id}`, text: output },
    { ...result, callId: `s${id}`, output, exitCode: 0 },
  ];
}
