import { type AgentEvent, CaretError } from "@caret/protocol";
import type { Lane } from "../lanes/lane.ts";
import { assertPrompt } from "./assert-prompt.ts";

export interface LaneSteeringOptions {
  readonly lane: Pick<Lane, "steer">;
  readonly turnId: string;
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly hasEnded: () => boolean;
}

/** Steering of a running turn whose tools the gateway does not run: passed to the lane's upstream, if it supports that. */
export interface LaneSteering {
  /**
   * Resolves once the text is in the log. Rejects with `unsupported` if the lane cannot be steered, and with `not-found` after the turn.
   */
  add(text: string): Promise<void>;
  /** Texts that have not reached the agent, oldest first. */
  unsent(): readonly string[];
}

export function createLaneSteering({ lane, turnId, write, hasEnded }: LaneSteeringOptions): LaneSteering {
  const waiting = new Set<{ readonly text: string }>();
  return {
    async add(text) {
      if (lane.steer === undefined) throw cannotSteer();
      assertPrompt(text);
      if (hasEnded()) throw new CaretError("not-found", "The turn is over", { fix: "Send this as a new prompt." });
      const said = { text };
      waiting.add(said);
      await write([{ type: "notice", kind: "steer", message: text }]);
      const heard = lane.steer(turnId, text).then(async () => {
        waiting.delete(said);
        await write([{ type: "notice", kind: "steer", message: text, detail: { isHeard: true } }]);
      });
      heard.catch(() => undefined); // stays in `unsent()`, where the person sees it
    },
    unsent: () => [...waiting].map(({ text }) => text),
  };
}

function cannotSteer(): CaretError {
  return new CaretError("unsupported", "A turn whose tools the gateway does not run cannot be steered", {
    fix: "Stop the turn and send this as a new prompt.",
  });
}
