import {
  buildPrompt,
  type NativeClient,
  type PromptImage,
  type SessionView,
  type TranscriptTurn,
} from "@caret/protocol";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { usePageData } from "../data/page-data-context.tsx";
import { useAbout } from "../data/page-hooks.ts";
import { editorLink, isOnThisMachine } from "../transcript/editor-link.ts";
import type { TranscriptActions } from "../transcript/transcript-actions.ts";
import { toPromptImages } from "./prompt-images.ts";

/** What can be done from within a live session. The same object as long as the session is the same. */
export function useSessionActions({
  id: sessionId,
  workspace,
}: Pick<SessionView, "id" | "workspace">): TranscriptActions {
  const { api, put } = usePageData();
  const editor = useAbout()?.editor;
  const [, navigate] = useLocation();
  return useMemo(
    () => ({
      ...(editor !== undefined &&
        isOnThisMachine(location.hostname) && {
          editorLink: (path, line) => editorLink(editor, path, { workspace, line }),
        }),
      readRaw: async (seq: number) => (await api.readLog(sessionId, { after: seq - 1, limit: 1, raw: true })).events[0],
      readImage: (name: string) => api.readImage(sessionId, name),
      answerApproval: (requestId, answer) => api.answerApproval(sessionId, requestId, answer),
      answerQuestion: (requestId, answer) => api.answerQuestion(sessionId, requestId, answer),
      retry: async ({ start }: TranscriptTurn) => {
        if (start?.prompt === undefined) return;
        const { prompt, mode } = start;
        const images = await imagesOf(api, sessionId, start);
        await api.startTurn(sessionId, { prompt, ...images, ...(mode !== undefined && { mode }) });
      },
      resend: async ({ firstSeq, start }: TranscriptTurn, prompt: string) => {
        // The event before a turn's first is the end of the turn before it.
        const fork = await api.forkSession(sessionId, { throughSeq: firstSeq - 1 });
        const images = await imagesOf(api, sessionId, start);
        put(fork);
        await api.startTurn(fork.id, { prompt, ...images, ...(start?.mode !== undefined && { mode: start.mode }) });
        navigate(`/s/${fork.id}`);
      },
      build: async (turn: TranscriptTurn) => {
        await api.startTurn(sessionId, { prompt: buildPrompt(turn), mode: "agent" });
      },
      fork: async ({ lastSeq }: TranscriptTurn) => {
        const fork = await api.forkSession(sessionId, { throughSeq: lastSeq });
        put(fork);
        navigate(`/s/${fork.id}`);
      },
    }),
    [api, put, navigate, sessionId, workspace, editor],
  );
}

/** The pictures of a turn, to be sent again. */
async function imagesOf(
  api: Pick<NativeClient, "readImage">,
  sessionId: string,
  start: TranscriptTurn["start"],
): Promise<{ readonly images?: readonly PromptImage[] }> {
  const files = await Promise.all((start?.images ?? []).map(({ name }) => api.readImage(sessionId, name)));
  const images = await toPromptImages(files.map((file) => ({ file })));
  return images.length === 0 ? {} : { images };
}
