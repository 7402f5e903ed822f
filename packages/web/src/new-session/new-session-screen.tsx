import type { AboutView, SessionView } from "@caret/protocol";
import { ArrowUp } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ModelChoice } from "../choices/model-choice.tsx";
import { SandboxChoice } from "../choices/sandbox-choice.tsx";
import { WorkspaceChoice } from "../choices/workspace-choice.tsx";
import { BudgetNote } from "../composer/budget-note.tsx";
import { imagesRefused } from "../composer/prompt-images.ts";
import { type Prompt, PromptInput, type PromptInputState } from "../composer/prompt-input.tsx";
import { usePageData } from "../data/page-data-context.tsx";
import { useAbout, usePageState } from "../data/page-hooks.ts";
import { SimulatedBadge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Spinner } from "../parts/placeholders.tsx";
import { StatusDot, statusWords } from "../parts/status-dot.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { isSimulated } from "../screen/simulated-note.tsx";
import { LaneChoice } from "./lane-choice.tsx";
import { PermissionChoice } from "./permission-choice.tsx";
import { firstChoices, keepChoices, type SessionChoices, toCreateSession } from "./session-choices.ts";
import { useAllowing } from "./use-allowing.tsx";
import { WorktreeChoice } from "./worktree-choice.tsx";

export function NewSessionScreen() {
  const about = useAbout();
  return (
    <ScreenFrame title="New session">
      {about === undefined ? (
        <p className="flex items-center gap-2 text-soft" role="status">
          <Spinner /> Loading…
        </p>
      ) : (
        <NewSession about={about} />
      )}
    </ScreenFrame>
  );
}

function NewSession({ about }: { readonly about: AboutView }) {
  const [choices, setChoices] = useState(() => firstChoices(about, localStorage));
  const [started, setStarted] = useState<readonly string[]>([]);
  const [, navigate] = useLocation();
  const { start, dialog } = useAllowing(useStart(choices), choices.workspace.trim());
  const open = async (prompt: Prompt): Promise<void> => navigate(`/s/${(await start(prompt)).id}`);
  const startAside = async (prompt: Prompt): Promise<void> => {
    const { id } = await start(prompt);
    setStarted((before) => [id, ...before]);
  };
  const workspace = choices.workspace.trim();
  const { lane, permission } = choices;
  const refused = imagesRefused(about, { permission, ...(lane !== "" && { lane }) });
  return (
    <div className="flex flex-col gap-4">
      <BudgetNote />
      <PromptInput
        buttons={(state) => <StartButtons onAside={startAside} state={state} />}
        choices={isSimulated(about, choices.lane || about.defaultLane) && <SimulatedBadge />}
        draftName="new session"
        label="Prompt"
        onSend={open}
        onSendAside={startAside}
        imagesRefused={refused}
        placeholder={`What should be done? / for commands, @ for files${refused === undefined ? ", images can be pasted" : ""}.`}
        workspace={workspace === "" ? undefined : workspace}
        lane={choices.lane || undefined}
      />
      <Started ids={started} />
      <Choices about={about} choices={choices} onChange={setChoices} />
      {dialog}
    </div>
  );
}

/** Creates the session and starts its first turn. When the turn cannot start, no empty session is left behind. */
function useStart(choices: SessionChoices): (prompt: Prompt) => Promise<SessionView> {
  const { api, put, forget } = usePageData();
  return async ({ text, images }) => {
    keepChoices(choices, localStorage);
    const session = await api.createSession(toCreateSession(choices));
    put(session);
    try {
      await api.startTurn(session.id, { prompt: text, ...(images.length > 0 && { images }) });
    } catch (reason) {
      // Why it could not start matters more than that it could not be removed either.
      await api.deleteSession(session.id).catch(() => undefined);
      forget(session.id);
      throw reason;
    }
    return session;
  };
}

interface StartButtonsProps {
  readonly state: PromptInputState;
  readonly onAside: (prompt: Prompt) => Promise<void>;
}

function StartButtons({ state: { isReady, isSending, send }, onAside }: StartButtonsProps) {
  return (
    <>
      <Button disabled={!isReady} onClick={() => send(onAside)} tone="quiet">
        Start in background
      </Button>
      <Button
        disabled={!isReady}
        icon={isSending ? <Spinner /> : <ArrowUp aria-hidden="true" size={14} />}
        onClick={() => send()}
        tone="primary"
      >
        Start
      </Button>
    </>
  );
}

function Started({ ids }: { readonly ids: readonly string[] }) {
  return (
    <ul aria-live="polite" className="flex flex-col gap-1 empty:hidden">
      {ids.map((id) => (
        <StartedSession id={id} key={id} />
      ))}
    </ul>
  );
}

function StartedSession({ id }: { readonly id: string }) {
  const session = usePageState(({ sessions }) => sessions.get(id));
  if (session === undefined) return null;
  return (
    <li className="flex min-w-0 items-center gap-2 text-[13px] text-soft">
      <StatusDot status={session.status} />
      <Link className="min-w-0 truncate text-accent underline underline-offset-2" href={`/s/${id}`}>
        {session.title || "The session"}
      </Link>
      <span className="shrink-0">{statusWords(session.status)}</span>
    </li>
  );
}

interface ChoicesProps {
  readonly about: AboutView;
  readonly choices: SessionChoices;
  readonly onChange: (choices: SessionChoices) => void;
}

function Choices({ about, choices, onChange }: ChoicesProps) {
  return (
    <div className="flex flex-col gap-4 rounded-lg border border-line bg-panel p-4">
      <WorkspaceChoice
        about={about}
        onChange={(workspace) => onChange({ ...choices, workspace })}
        workspace={choices.workspace}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <LaneChoice about={about} lane={choices.lane} onChange={(lane) => onChange({ ...choices, lane })} />
        <ModelChoice
          defaultModel={about.defaultModel}
          model={choices.model}
          onChange={(model) => onChange({ ...choices, model })}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <SandboxChoice onChange={(sandbox) => onChange({ ...choices, sandbox })} sandbox={choices.sandbox} />
        <WorktreeChoice isChosen={choices.worktree} onChoose={(worktree) => onChange({ ...choices, worktree })} />
      </div>
      <PermissionChoice chosen={choices.permission} onChoose={(permission) => onChange({ ...choices, permission })} />
      <p className="text-[12px] text-faint">Processes: {about.sandbox}</p>
    </div>
  );
}
