import type { AnswerApproval, AnsweredApproval, AnswerQuestion, EventEnvelope, TranscriptTurn } from "@caret/protocol";
import { createContext, use, useState } from "react";
import { toErrorInfo } from "../parts/error-note.tsx";
import type { EditorLink } from "./editor-link.ts";

/** What a reader may do from within a transcript. What is absent cannot be done there: in a replay, for instance. */
export interface TranscriptActions {
  /** An event with its raw line, where one is kept. */
  readonly readRaw?: (seq: number) => Promise<EventEnvelope | undefined>;
  /** A picture that came with a prompt, by its name. */
  readonly readImage?: (name: string) => Promise<Blob>;
  readonly answerApproval?: (requestId: string, answer: AnswerApproval) => Promise<AnsweredApproval>;
  readonly answerQuestion?: (requestId: string, answer: AnswerQuestion) => Promise<void>;
  /** The address that opens a file of the workspace in the user's editor; absent: in none. */
  readonly editorLink?: (path: string, line?: number) => EditorLink;
  /** Ask the same again. */
  readonly retry?: (turn: TranscriptTurn) => Promise<void>;
  /** Ask something else in place of this turn's prompt: in a fork that has what came before it. */
  readonly resend?: (turn: TranscriptTurn, prompt: string) => Promise<void>;
  /** Have the agent carry out the plan that this turn made. */
  readonly build?: (turn: TranscriptTurn) => Promise<void>;
  /** Go on from the end of this turn in a session of its own. */
  readonly fork?: (turn: TranscriptTurn) => Promise<void>;
}

const Actions = createContext<TranscriptActions>({});

export const TranscriptActionsProvider = Actions.Provider;

export function useTranscriptActions(): TranscriptActions {
  return use(Actions);
}

/** Something that is asked of the gateway by a button: it is done once at a time, and says why it could not be done. */
export function useCommand() {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const run = (command: () => Promise<unknown>): void => {
    setBusy(true);
    setFailure(undefined);
    command()
      .catch((error: unknown) => setFailure(failureWords(error)))
      .finally(() => setBusy(false));
  };
  return { run, isBusy, failure };
}

/** What failed and what to do about it. */
export function failureWords(error: unknown): string {
  const { message, fix } = toErrorInfo(error);
  return message.endsWith(".") ? `${message} ${fix}` : `${message}. ${fix}`;
}
