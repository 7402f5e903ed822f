import { CaretError, type SessionView } from "@caret/protocol";
import { useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { runsElsewhere } from "../data/running-turn.ts";
import { useTurnEnd } from "../data/use-turn-end.ts";
import { modeField, type TurnMode } from "../transcript/turn-modes.ts";
import type { Prompt } from "./prompt-input.tsx";

interface SendingOptions {
  readonly session: SessionView;
  /** The turn that runs now. */
  readonly turnId: string | undefined;
  readonly mode: TurnMode;
  readonly onSent: () => void;
}

type Send = (prompt: Prompt) => Promise<void>;

/** The ways to a session's agent: a new turn, a word to the one that runs, or the queue behind it. */
export interface Sending {
  /** The turn that runs hears nothing while it works. */
  readonly cannotSteer: boolean;
  readonly start: Send;
  readonly steer: Send;
  readonly queue: Send;
  readonly stopAndSend: Send;
}

export function useSending({ session, turnId, mode, onSent }: SendingOptions): Sending {
  const { id, permission, status } = session;
  const api = useApi();
  /** The turn that said it cannot be steered. */
  const [unsteerable, setUnsteerable] = useState<string>();
  const turnEnd = useTurnEnd(turnId);
  const start: Send = async ({ text, images }) => {
    await api.startTurn(id, { prompt: text, mode, ...(images.length > 0 && { images }) });
    onSent();
  };
  return {
    // An agent with tools of its own hears nothing while it works; which turn runs now the gateway knows best.
    cannotSteer: turnId !== undefined && (permission === "full" || unsteerable === turnId || runsElsewhere(status)),
    start,
    async steer({ text }) {
      if (turnId === undefined) return;
      try {
        await api.steerTurn(id, turnId, text);
        onSent();
      } catch (error) {
        if (CaretError.is(error) && error.code === "unsupported") setUnsteerable(turnId);
        throw error;
      }
    },
    async queue({ text, images }) {
      if (images.length > 0)
        throw new CaretError("unsupported", "Images cannot wait in the queue", {
          fix: "Send them when the turn is over, or stop it and send.",
        });
      await api.queuePrompt(id, { prompt: text, ...modeField(mode) });
    },
    async stopAndSend(prompt) {
      if (turnId !== undefined) await api.cancelTurn(id, turnId);
      await turnEnd();
      await start(prompt);
    },
  };
}
