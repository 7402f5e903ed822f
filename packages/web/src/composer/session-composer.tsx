import { CaretError, type SessionView } from "@caret/protocol";
import { ArrowUp, CornerDownRight, Square } from "lucide-react";
import { useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { runsElsewhere } from "../session/running-turn.ts";
import { useTurnEnd } from "../session/use-turn-end.ts";
import { ComposerChoices } from "./composer-choices.tsx";
import { IMAGES_REFUSED } from "./prompt-images.ts";
import { type Prompt, PromptInput, type PromptInputState } from "./prompt-input.tsx";

interface SessionComposerProps {
  readonly session: SessionView;
  /** The turn that runs now. */
  readonly turnId: string | undefined;
  readonly isStopping: boolean;
  readonly onStop: () => void;
  readonly onSent: () => void;
}

/** Where one goes on with a session: the next prompt, a word to the turn that runs, or a stop. */
export function SessionComposer({ session, turnId, isStopping, onStop, onSent }: SessionComposerProps) {
  const { send, stopAndSend, cannotSteer } = useSending(session, turnId, onSent);
  const isRunning = turnId !== undefined;
  const isElsewhere = isRunning && runsElsewhere(session.status);
  const placeholder = isElsewhere
    ? "This turn runs in a terminal. What is written here can be sent when it is over."
    : isRunning
      ? "Say something to the agent while it works"
      : "What should the agent do?";
  return (
    <PromptInput
      label="Prompt"
      placeholder={placeholder}
      draftName={session.id}
      workspace={session.workspace}
      imagesRefused={session.permission === "full" ? undefined : IMAGES_REFUSED}
      onSend={send}
      choices={<ComposerChoices session={session} />}
      buttons={(input) => (
        <Buttons
          input={input}
          isRunning={isRunning}
          isElsewhere={isElsewhere}
          isStopping={isStopping}
          cannotSteer={cannotSteer || input.hasImages}
          onStop={onStop}
          onStopAndSend={() => input.send(stopAndSend)}
        />
      )}
    />
  );
}

function useSending({ id, permission, status }: SessionView, turnId: string | undefined, onSent: () => void) {
  const api = useApi();
  /** The turn that said it cannot be steered. */
  const [unsteerable, setUnsteerable] = useState<string>();
  const turnEnd = useTurnEnd(turnId);
  const start = async ({ text, images }: Prompt): Promise<void> => {
    await api.startTurn(id, { prompt: text, ...(images.length > 0 && { images }) });
    onSent();
  };
  // An agent with tools of its own hears nothing while it works; which turn runs now the gateway knows best.
  const cannotSteer = turnId !== undefined && (permission === "full" || unsteerable === turnId);
  const steer = async (runningId: string, { text, images }: Prompt): Promise<void> => {
    if (runsElsewhere(status))
      throw new CaretError("unsupported", "This turn runs in a terminal", {
        fix: "Stop it there, or wait for its end.",
      });
    if (images.length > 0 || cannotSteer)
      throw new CaretError("unsupported", "This turn cannot take that message", { fix: "Stop it and send, or wait." });
    try {
      await api.steerTurn(id, runningId, text);
      onSent();
    } catch (error) {
      if (CaretError.is(error) && error.code === "unsupported") setUnsteerable(runningId);
      throw error;
    }
  };
  return {
    cannotSteer,
    send: (prompt: Prompt) => (turnId === undefined ? start(prompt) : steer(turnId, prompt)),
    stopAndSend: async (prompt: Prompt) => {
      if (turnId !== undefined) await api.cancelTurn(id, turnId);
      await turnEnd();
      await start(prompt);
    },
  };
}

interface ButtonsProps {
  readonly input: PromptInputState;
  readonly isRunning: boolean;
  readonly isElsewhere: boolean;
  readonly isStopping: boolean;
  readonly cannotSteer: boolean;
  readonly onStop: () => void;
  readonly onStopAndSend: () => void;
}

function Buttons({ input, isRunning, isElsewhere, isStopping, cannotSteer, onStop, onStopAndSend }: ButtonsProps) {
  if (!isRunning)
    return (
      <Button
        tone="primary"
        icon={<ArrowUp aria-hidden="true" size={16} />}
        disabled={!input.isReady}
        onClick={() => input.send()}
      >
        {input.isSending ? "Sending…" : "Send"}
      </Button>
    );
  if (isElsewhere) return <span className="shrink-0 px-2 text-[13px] text-soft">Runs in a terminal</span>;
  return (
    <>
      <Button icon={<Square aria-hidden="true" size={12} />} disabled={isStopping} onClick={onStop} title="Stop (Esc)">
        {isStopping ? "Stopping…" : "Stop"}
      </Button>
      {input.isReady && cannotSteer && (
        <Button tone="primary" onClick={onStopAndSend}>
          Stop and send
        </Button>
      )}
      {input.isReady && !cannotSteer && (
        <Button
          tone="primary"
          icon={<CornerDownRight aria-hidden="true" size={14} />}
          onClick={() => input.send()}
          title="Send to the agent while it works"
        >
          Steer
        </Button>
      )}
    </>
  );
}
