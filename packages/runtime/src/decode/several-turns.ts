import type { AgentEventOf } from "@caret/protocol";
import type { Dialect } from "./dialect.ts";
import type { Frame } from "./framing/frame.ts";
import { textField } from "./read-fields.ts";

/** How to handle a recording that continues after the end of a turn. */
export interface FurtherTurns {
  /** Returns the `turn-start` of the next turn. */
  begin(): AgentEventOf<"turn-start">;
  /** Receives a frame after a turn's end that begins no turn, and so belongs to none. */
  leaveOut(frame: Frame): void;
}

/** The same dialect for a recording of several turns, each well formed. In a lane a turn is over once it has ended. */
export function severalTurns<State>(dialect: Dialect<State>, turns: FurtherTurns): Dialect<State> {
  return {
    ...dialect,
    step(state, frame) {
      if (!dialect.hasEnded(state)) return dialect.step(state, frame);
      if (!beginsTurn(frame)) {
        turns.leaveOut(frame);
        return [state, []];
      }
      const [next, events] = dialect.step(dialect.initial, frame);
      return [next, [turns.begin(), ...events]];
    },
  };
}

/**
 * Whether a frame can only be the first of a turn: an `init`, an echoed prompt, or a contract program's greeting. Text alone cannot tell:
 * it may be a leftover of the turn before.
 */
function beginsTurn(frame: Frame): boolean {
  if (frame.kind !== "object") return false;
  const type = textField(frame.value, "type");
  if (type === "system") return textField(frame.value, "subtype") === "init";
  return type === "user" || type === "protocol";
}
