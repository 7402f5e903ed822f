import { ArrowUp, CornerDownRight, ListPlus, Square } from "lucide-react";
import { Button } from "../parts/button.tsx";
import type { PromptInputState } from "./prompt-input.tsx";
import type { Sending } from "./use-sending.ts";

interface ComposerButtonsProps {
  readonly input: PromptInputState;
  readonly sending: Sending;
  readonly isRunning: boolean;
  /** Another process runs the turn: it cannot be stopped here. */
  readonly isElsewhere: boolean;
  readonly isStopping: boolean;
  readonly onStop: () => void;
}

/** What can be done with the prompt as things stand. */
export function ComposerButtons(props: ComposerButtonsProps) {
  const { input, isRunning, isElsewhere, isStopping, onStop } = props;
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
  return (
    <>
      {isElsewhere ? (
        <span className="shrink-0 px-2 text-[13px] text-soft">Runs in a terminal</span>
      ) : (
        <Button
          icon={<Square aria-hidden="true" size={12} />}
          disabled={isStopping}
          onClick={onStop}
          title="Stop (Esc)"
        >
          {isStopping ? "Stopping…" : "Stop"}
        </Button>
      )}
      {input.isReady && <WhileRunning {...props} />}
    </>
  );
}

/** The first choice is what Enter does. */
function WhileRunning({ input, sending, isElsewhere }: ComposerButtonsProps) {
  const canSteer = !sending.cannotSteer && !input.hasImages;
  return (
    <>
      {!canSteer && !isElsewhere && <Button onClick={() => input.send(sending.stopAndSend)}>Stop and send</Button>}
      {!input.hasImages && (
        <Button
          tone={canSteer ? "plain" : "primary"}
          icon={<ListPlus aria-hidden="true" size={14} />}
          onClick={() => input.send(sending.queue)}
          title="Send it when the turn is over (Ctrl or ⌘ with Enter)"
        >
          Queue
        </Button>
      )}
      {canSteer && (
        <Button
          tone="primary"
          icon={<CornerDownRight aria-hidden="true" size={14} />}
          onClick={() => input.send(sending.steer)}
          title="Send to the agent while it works"
        >
          Steer
        </Button>
      )}
    </>
  );
}
