import type { AnswerApproval, AnsweredApproval, AnswerQuestion, RawLine, TranscriptTurn } from "@caret/protocol";
import { createContext, use } from "react";

/** What a reader may do from within a transcript. What is absent cannot be done there: in a replay, for instance. */
export interface TranscriptActions {
  readonly readRaw?: (seq: number) => Promise<RawLine>;
  /** A picture that came with a prompt, by its name. */
  readonly readImage?: (name: string) => Promise<Blob>;
  readonly answerApproval?: (requestId: string, answer: AnswerApproval) => Promise<AnsweredApproval>;
  readonly answerQuestion?: (requestId: string, answer: AnswerQuestion) => Promise<void>;
  /** Ask the same again. */
  readonly retry?: (turn: TranscriptTurn) => Promise<void>;
  /** Go on from the end of this turn in a session of its own. */
  readonly fork?: (turn: TranscriptTurn) => Promise<void>;
}

const Actions = createContext<TranscriptActions>({});

export const TranscriptActionsProvider = Actions.Provider;

export function useTranscriptActions(): TranscriptActions {
  return use(Actions);
}
