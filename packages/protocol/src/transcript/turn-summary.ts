import { assertNever } from "../assert-never.ts";
import type {
  AgentEvent,
  AgentEventOf,
  FileDiff,
  LaneName,
  Owner,
  Todo,
  ToolKind,
  TurnOutcome,
} from "../events/agent-event.ts";
import type { Usage } from "../usage.ts";

/** How many different labels of unknown things are told apart; the rest are counted together. */
const MAX_UNKNOWN_LABELS = 16;
const OTHER_LABELS = "other";

export interface ToolActivity {
  readonly callId: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly server?: string;
  readonly owner: Owner;
  readonly input: unknown;
  readonly status: "running" | AgentEventOf<"tool-result">["status"];
  /** It was interrupted before it was even started. */
  readonly notRun?: true;
  readonly output: string;
  readonly exitCode?: number;
  readonly diff?: FileDiff;
  readonly durationMs?: number;
}

export type Notice = Omit<AgentEventOf<"notice">, "type">;

/** What a turn amounts to so far. */
export interface TurnSummary {
  readonly turnId: string | undefined;
  readonly lane: LaneName | undefined;
  /** The upstream's session id and its name for the model. */
  readonly sessionId: string | undefined;
  readonly model: string | undefined;
  /** One entry per text block. Shown to people with a blank line between; joined with nothing it is the whole text. */
  readonly segments: readonly string[];
  /** One entry per thinking block. */
  readonly thinking: readonly string[];
  readonly tools: readonly ToolActivity[];
  readonly todos: readonly Todo[];
  /** The latest plan's text. */
  readonly plan: string | undefined;
  /** Every plan, and how many text blocks had been opened before it. */
  readonly plans: readonly { readonly text: string; readonly afterSegments: number }[];
  readonly usage: Usage | undefined;
  readonly notices: readonly Notice[];
  readonly unknown: Readonly<Record<string, number>>;
  readonly outcome: TurnOutcome | undefined;
}

export const emptyTurn: TurnSummary = {
  turnId: undefined,
  lane: undefined,
  sessionId: undefined,
  model: undefined,
  segments: [],
  thinking: [],
  tools: [],
  todos: [],
  plan: undefined,
  plans: [],
  usage: undefined,
  notices: [],
  unknown: {},
  outcome: undefined,
};

/** Fold one event into the summary. Server, command line and web page all use this: there is no second truth. */
export function foldTurn(turn: TurnSummary, event: AgentEvent): TurnSummary {
  switch (event.type) {
    case "turn-start":
      return { ...turn, turnId: event.turnId, lane: event.lane, model: event.model };
    case "session-ready":
      return { ...turn, sessionId: event.sessionId ?? turn.sessionId, model: event.model ?? turn.model };
    case "text-start":
      return { ...turn, segments: [...turn.segments, ""] };
    case "text-delta":
      return { ...turn, segments: appendToLast(turn.segments, event.text) };
    case "thinking-start":
      return { ...turn, thinking: [...turn.thinking, ""] };
    case "thinking-delta":
      return { ...turn, thinking: appendToLast(turn.thinking, event.text) };
    case "usage":
      return { ...turn, usage: event.usage };
    case "notice":
      return { ...turn, notices: [...turn.notices, toNotice(event)] };
    case "unknown":
      return { ...turn, unknown: countLabel(turn.unknown, event.label) };
    case "turn-end":
      return { ...turn, outcome: event.outcome };
    case "text-end":
    case "thinking-end":
    case "question":
    case "question-answer":
    case "approval-request":
    case "approval-answer":
      return turn;
    default:
      return foldTool(turn, event);
  }
}

export function foldEvents(events: readonly AgentEvent[], turn: TurnSummary = emptyTurn): TurnSummary {
  return events.reduce(foldTurn, turn);
}

/** What the turn answered: its text blocks and its plans, in the order in which they were shown. */
export function answerParts({ segments, plans }: TurnSummary): readonly string[] {
  if (plans.length === 0) return segments;
  const plansAfter = (count: number) => plans.flatMap((plan) => (plan.afterSegments === count ? [plan.text] : []));
  return [...plansAfter(0), ...segments.flatMap((segment, index) => [segment, ...plansAfter(index + 1)])];
}

export function unknownCount({ unknown }: TurnSummary): number {
  return Object.values(unknown).reduce((sum, count) => sum + count, 0);
}

type ToolEvent = AgentEventOf<"tool-call" | "tool-output" | "tool-result" | "todos" | "plan">;

function foldTool(turn: TurnSummary, event: ToolEvent): TurnSummary {
  switch (event.type) {
    case "tool-call":
      return { ...turn, tools: [...turn.tools, startTool(event)] };
    case "tool-output":
      return { ...turn, tools: changeTool(turn.tools, event.callId, (tool) => ({ output: tool.output + event.text })) };
    case "tool-result": {
      const { type, callId, ...result } = event;
      return { ...turn, tools: changeTool(turn.tools, callId, () => result) };
    }
    case "todos":
      return { ...turn, todos: event.merge ? mergeTodos(turn.todos, event.items) : event.items };
    case "plan":
      return {
        ...turn,
        plan: event.text,
        plans: [...turn.plans, { text: event.text, afterSegments: turn.segments.length }],
      };
    default:
      return assertNever(event);
  }
}

function appendToLast(parts: readonly string[], text: string): readonly string[] {
  const last = parts.length - 1;
  return parts.with(last, parts[last] + text);
}

function startTool({ type, description, parentCallId, ...call }: AgentEventOf<"tool-call">): ToolActivity {
  return { ...call, status: "running", output: "" } as ToolActivity;
}

function changeTool(
  tools: readonly ToolActivity[],
  callId: string,
  change: (tool: ToolActivity) => object,
): readonly ToolActivity[] {
  const index = tools.findLastIndex((tool) => tool.callId === callId);
  const tool = tools[index];
  return tool === undefined ? tools : tools.with(index, { ...tool, ...change(tool) });
}

function mergeTodos(todos: readonly Todo[], changes: readonly Todo[]): readonly Todo[] {
  const byId = new Map([...todos, ...changes].map((todo) => [todo.id, todo]));
  return [...byId.values()];
}

function toNotice({ type, ...notice }: AgentEventOf<"notice">): Notice {
  return notice;
}

function countLabel(unknown: TurnSummary["unknown"], label: string): TurnSummary["unknown"] {
  const room = Object.hasOwn(unknown, label) || Object.keys(unknown).length < MAX_UNKNOWN_LABELS;
  const name = room ? label : OTHER_LABELS;
  // A label may be `constructor` or `__proto__`: only own entries count.
  const count = Object.hasOwn(unknown, name) ? (unknown[name] ?? 0) : 0;
  return { ...unknown, [name]: count + 1 };
}
