import type { NativeClient } from "@caret/protocol";
import { useEffect } from "react";
import { useRoute } from "wouter";
import { usePageData } from "../data/page-data-context.tsx";
import { usePageState, useWaitingSessions } from "../data/page-hooks.ts";
import { showError } from "../parts/toast.tsx";
import { wantQuestion } from "../transcript/wanted-question.ts";
import { noticesBetween, type PressedNotice, pressedNotice, showNotice } from "./notifications.ts";

/** The tab's title and badge say how many sessions wait; notifications are shown while the page is hidden. */
export function useAttention(): void {
  const { api, store } = usePageData();
  const waiting = useWaitingSessions().length;
  const [, params] = useRoute<{ readonly id: string }>("/s/:id/*?");
  const title = usePageState(({ sessions }) => sessions.get(params?.id ?? "")?.title);
  useEffect(() => {
    const name = title ? `${title} · Caret` : "Caret";
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
  }, [waiting, title]);
  useEffect(() => {
    // Not every browser has badges, and some refuse them to pages that are not installed.
    navigator.setAppBadge?.(waiting).catch(() => undefined);
  }, [waiting]);
  const signInError = usePageState(({ signInError }) => signInError);
  useEffect(() => {
    // A browser that is signed in already stays so, but shows that the link did nothing.
    if (signInError !== undefined) showError(signInError);
  }, [signInError]);
  useEffect(
    () =>
      store.subscribe((state, before) => {
        if (state.sessions === before.sessions || !document.hidden) return;
        // One that cannot be shown is in the title and the badge.
        for (const notice of noticesBetween(before.sessions, state.sessions)) showNotice(notice).catch(() => undefined);
      }),
    [store],
  );
  useEffect(() => {
    const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
    const decide = ({ data }: MessageEvent): void => {
      const pressed = pressedNotice(data, Date.now());
      if (pressed !== undefined) act(api, pressed).catch(showError);
    };
    workers?.addEventListener("message", decide);
    return () => workers?.removeEventListener("message", decide);
  }, [api]);
}

/** Does what was pressed in a notification, with the page's credential. */
async function act(api: NativeClient, pressed: PressedNotice): Promise<void> {
  const { sessionId } = pressed;
  if (pressed.kind === "approval")
    await api.answerApproval(sessionId, pressed.requestId, { decision: pressed.decision });
  else if (pressed.kind === "question")
    await api.answerQuestion(sessionId, pressed.requestId, { answers: [pressed.answer] });
  else {
    location.hash = `#/s/${sessionId}`;
    if (pressed.question !== undefined) wantQuestion(pressed.question);
  }
}
