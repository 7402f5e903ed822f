import { type AgentEvent, CaretError } from "@caret/protocol";

/** How long a turn may wait, in milliseconds. Each is a setting under `clocks`. */
export interface ClockSettings {
  readonly firstEventMs: number;
  readonly idleMs: number;
  readonly toolMs: number;
  readonly turnMs: number;
}

/**
 * The clocks of one turn. One runs until the first event; then one between events, and another while a tool works. A hard cap always runs.
 * Retries and reconnects are signs of life of the connection, not of the turn, and reset none.
 */
export interface TurnClocks {
  note(decoded: readonly { readonly event: AgentEvent }[]): void;
  /** The agent continues what it was saying. */
  noteMore(): void;
  /** The call with this id has its result, which the agent itself will not report. */
  noteAnswered(callId: string): void;
  /** When to give up the turn unless something happens before; by the same clock as `now`. */
  deadline(): number;
  /** The error for an expired deadline. */
  expired(): CaretError;
}

/** Offered tools have limits of their own: one for the client or person asked, one for the tool. This is a backstop. */
const OFFERED_MARGIN_MS = 10_000;

/** The limits of a turn, depending on who runs its tools; `turnMs` is the model's own, if it has one. */
export function turnLimits(limits: ClockSettings, isOffered: boolean, turnMs = limits.turnMs): ClockSettings {
  return { ...limits, turnMs, toolMs: isOffered ? 2 * limits.toolMs + OFFERED_MARGIN_MS : limits.toolMs };
}

export function createTurnClocks(settings: ClockSettings, now: () => number): TurnClocks {
  const startedAt = now();
  let since = startedAt;
  let spoke = false;
  const openTools = new Map<string, string>();

  const current = (): { readonly setting: keyof ClockSettings; readonly waitsFor: string } => {
    if (!spoke) return { setting: "firstEventMs", waitsFor: "the agent's first event" };
    const [tool] = openTools.values();
    if (tool !== undefined) return { setting: "toolMs", waitsFor: `the result of the tool ${tool}` };
    return { setting: "idleMs", waitsFor: "the agent's next event" };
  };

  return {
    note(decoded) {
      const at = now();
      for (const { event } of decoded) {
        if (event.type === "notice" || event.type === "unknown") continue;
        spoke = true;
        since = at;
        if (event.type === "tool-call") openTools.set(event.callId, event.name);
        else if (event.type === "tool-result") openTools.delete(event.callId);
      }
    },
    noteMore() {
      since = now();
    },
    noteAnswered(callId) {
      since = now();
      openTools.delete(callId);
    },
    deadline: () => Math.min(startedAt + settings.turnMs, since + settings[current().setting]),
    expired() {
      const { setting, waitsFor } = current();
      if (startedAt + settings.turnMs <= since + settings[setting])
        return new CaretError(
          "timed-out",
          `The turn was not done after ${settings.turnMs} ms; it waited for ${waitsFor}`,
        );
      return new CaretError("stalled", `Waited ${settings[setting]} ms for ${waitsFor}`, {
        fix: `Try again; if the agent was merely slow, raise \`clocks.${setting}\`.`,
      });
    },
  };
}
