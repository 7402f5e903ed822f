import { type AgentEvent, agentEventSchema } from "./agent-event.ts";

/** Checks the contract documented on `agentEventSchema`. Throws on the first breach, naming the event. */
export function assertWellFormedTurn(events: readonly AgentEvent[]): void {
  assertFrame(events);
  const turn: TurnProgress = { openBlock: undefined, blocks: new Set(), open: new Set(), calls: new Set() };
  for (const [index, event] of events.entries()) {
    const breach = breachOf(turn, event);
    if (breach !== undefined) throw new Error(`Event ${index} (${event.type}): ${breach}`);
    assertPlain(event, index);
  }
}

interface TurnProgress {
  openBlock: string | undefined;
  readonly blocks: Set<string>;
  readonly open: Set<string>;
  readonly calls: Set<string>;
}

function assertFrame(events: readonly AgentEvent[]): void {
  const frame = events.flatMap(({ type }, index) =>
    type === "turn-start" || type === "turn-end" ? [`${type}@${index}`] : [],
  );
  const expected = ["turn-start@0", `turn-end@${events.length - 1}`];
  if (frame.join() !== expected.join())
    throw new Error(`A turn is one turn-start, anything, one turn-end; got ${frame.join(", ") || "neither"}`);
}

function breachOf(turn: TurnProgress, event: AgentEvent): string | undefined {
  switch (event.type) {
    case "text-start":
    case "thinking-start":
      return openBlock(turn, event.blockId);
    case "text-delta":
    case "thinking-delta":
      return turn.openBlock === event.blockId ? undefined : `block ${event.blockId} is not open`;
    case "text-end":
    case "thinking-end":
      return closeBlock(turn, event.blockId);
    case "tool-call":
      return openCall(turn, event.callId);
    case "tool-output":
      return turn.open.has(event.callId) ? undefined : `call ${event.callId} is not open`;
    case "tool-result":
      return turn.open.delete(event.callId) ? undefined : `call ${event.callId} is not open`;
    case "turn-end":
      return leftOver(turn);
    default:
      return undefined;
  }
}

function openBlock(turn: TurnProgress, blockId: string): string | undefined {
  if (turn.openBlock !== undefined) return `block ${turn.openBlock} is still open`;
  if (turn.blocks.has(blockId)) return `block ${blockId} was used before`;
  turn.blocks.add(blockId);
  turn.openBlock = blockId;
  return undefined;
}

function closeBlock(turn: TurnProgress, blockId: string): string | undefined {
  if (turn.openBlock !== blockId) return `block ${blockId} is not open`;
  turn.openBlock = undefined;
  return undefined;
}

function openCall(turn: TurnProgress, callId: string): string | undefined {
  if (turn.calls.has(callId)) return `call ${callId} was made before`;
  turn.calls.add(callId);
  turn.open.add(callId);
  return undefined;
}

function leftOver(turn: TurnProgress): string | undefined {
  if (turn.openBlock !== undefined) return `block ${turn.openBlock} was left open`;
  return turn.open.size === 0 ? undefined : `calls without a result: ${[...turn.open].join(", ")}`;
}

function assertPlain(event: AgentEvent, index: number): void {
  if (!isPlain(event)) throw new Error(`Event ${index} (${event.type}) is not plain: it holds what JSON cannot say`);
  const parsed = agentEventSchema.safeParse(event);
  if (!parsed.success) throw new Error(`Event ${index} (${event.type}) is not plain: ${parsed.error.message}`);
}

/** Whether a value survives JSON unchanged: no dates, no maps, no NaN, no holes. (JSON can spell an infinity, as 1e999.) */
function isPlain(value: unknown): boolean {
  if (typeof value === "number") return !Number.isNaN(value);
  if (typeof value !== "object" || value === null)
    return value === null || typeof value === "string" || typeof value === "boolean";
  if (Array.isArray(value)) return value.every(isPlain);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain);
}
