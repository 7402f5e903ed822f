import type { SessionView, TranscriptTurn } from "@caret/protocol";
import { useMemo, useState } from "react";
import { useAbout } from "../data/page-hooks.ts";
import { runsElsewhere } from "../data/running-turn.ts";
import { modeOfTurns, type TurnMode } from "../transcript/turn-modes.ts";
import { BudgetNote } from "./budget-note.tsx";
import { ComposerButtons } from "./composer-buttons.tsx";
import { ComposerChoices } from "./composer-choices.tsx";
import { formerPrompts } from "./prompt-history.ts";
import { imagesRefused } from "./prompt-images.ts";
import { PromptInput } from "./prompt-input.tsx";
import { QueuedPrompts } from "./queued-prompts.tsx";
import { useSending } from "./use-sending.ts";
import { useSessionCommands } from "./use-session-commands.ts";

interface SessionComposerProps {
  readonly session: SessionView;
  readonly turns: readonly TranscriptTurn[];
  /** The turn that runs now. */
  readonly turnId: string | undefined;
  readonly isStopping: boolean;
  readonly onStop: () => void;
  readonly onSent: () => void;
}

/** Where one goes on with a session: the next prompt, a word to the turn that runs, or a stop. */
export function SessionComposer({ session, turns, turnId, isStopping, onStop, onSent }: SessionComposerProps) {
  const about = useAbout();
  // What was chosen counts until a turn has begun with it: then that turn says it.
  const [chosen, setChosen] = useState<{ readonly mode: TurnMode; readonly after: number }>();
  const mode = chosen?.after === turns.length ? chosen.mode : modeOfTurns(turns);
  const setMode = (next: TurnMode): void => setChosen({ mode: next, after: turns.length });
  const sending = useSending({ session, turnId, mode, onSent });
  const isRunning = turnId !== undefined;
  const isElsewhere = isRunning && runsElsewhere(session.status);
  const commands = useSessionCommands({ session, setMode, stop: isRunning && !isElsewhere ? onStop : undefined });
  const history = useMemo(() => formerPrompts(turns), [turns]);
  return (
    <>
      <QueuedPrompts session={session} />
      <BudgetNote session={session} />
      <PromptInput
        label="Prompt"
        placeholder={placeholderFor(isRunning, isElsewhere, sending.cannotSteer)}
        draftName={session.id}
        workspace={session.workspace}
        lane={session.lane}
        commands={commands}
        history={history}
        imagesRefused={imagesRefused(about, session)}
        onSend={!isRunning ? sending.start : sending.cannotSteer ? sending.queue : sending.steer}
        onSendAside={isRunning ? sending.queue : sending.start}
        choices={<ComposerChoices session={session} mode={mode} onMode={setMode} />}
        buttons={(input) => (
          <ComposerButtons
            input={input}
            sending={sending}
            isRunning={isRunning}
            isElsewhere={isElsewhere}
            isStopping={isStopping}
            onStop={onStop}
          />
        )}
      />
    </>
  );
}

function placeholderFor(isRunning: boolean, isElsewhere: boolean, cannotSteer: boolean): string {
  if (isElsewhere) return "This turn runs in a terminal. What is written here can be queued for after it.";
  if (!isRunning) return "What should the agent do? / for commands, @ for files";
  return cannotSteer ? "Queue a prompt for after this turn" : "Say something to the agent while it works";
}
