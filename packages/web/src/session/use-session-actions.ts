import type { TranscriptTurn } from "@caret/protocol";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { toPromptImages } from "../composer/prompt-images.ts";
import { usePageData } from "../data/page-data-context.tsx";
import type { TranscriptActions } from "../transcript/transcript-actions.ts";

/** What can be done from within a live session. The same object as long as the session is the same. */
export function useSessionActions(sessionId: string): TranscriptActions {
  const { api, put } = usePageData();
  const [, navigate] = useLocation();
  return useMemo(
    () => ({
      readRaw: (seq: number) => api.readRaw(sessionId, seq),
      readImage: (name: string) => api.readImage(sessionId, name),
      answerApproval: (requestId, answer) => api.answerApproval(sessionId, requestId, answer),
      answerQuestion: (requestId, answer) => api.answerQuestion(sessionId, requestId, answer),
      retry: async ({ start }: TranscriptTurn) => {
        if (start?.prompt === undefined) return;
        const files = await Promise.all((start.images ?? []).map(({ name }) => api.readImage(sessionId, name)));
        const images = await toPromptImages(files.map((file) => ({ file })));
        await api.startTurn(sessionId, { prompt: start.prompt, ...(images.length > 0 && { images }) });
      },
      fork: async ({ lastSeq }: TranscriptTurn) => {
        const fork = await api.forkSession(sessionId, { throughSeq: lastSeq });
        put(fork);
        navigate(`/s/${fork.id}`);
      },
    }),
    [api, put, navigate, sessionId],
  );
}
