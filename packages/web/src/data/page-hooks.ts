import { type AboutView, isSideCall, type ModelView, type NativeClient, type SessionView } from "@caret/protocol";
import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { useNow } from "../parts/use-now.ts";
import { usePageData } from "./page-data-context.tsx";
import type { Connection, PageState, SessionLog } from "./page-state.ts";
import { failedSessions, sortSessions, waitingSessions } from "./session-list.ts";

const DAY_MS = 86_400_000;

export function useAbout(): AboutView | undefined {
  return usePageState(({ about }) => about);
}

export function useApi(): NativeClient {
  return usePageData().api;
}

export function useConnection(): Connection {
  return usePageState(({ connection }) => connection);
}

/** `undefined` until they are there. */
export function useModels(): readonly ModelView[] | undefined {
  const data = usePageData();
  const models = usePageState(({ models }) => models);
  useEffect(() => {
    // Choosing a model then works by its name; the doctor shows what is wrong.
    data.loadModels().catch(() => undefined);
  }, [data]);
  return models;
}

/** Part of what the page knows; the component is drawn again when that part changes. */
export function usePageState<Part>(select: (state: PageState) => Part): Part {
  return useStore(usePageData().store, select);
}

/** A session that the list does not hold is asked for. */
export function useSession(sessionId: string): SessionView | undefined {
  const { api, put } = usePageData();
  const session = usePageState(({ sessions }) => sessions.get(sessionId));
  const isMissing = session === undefined;
  useEffect(() => {
    if (!isMissing) return;
    const asking = new AbortController();
    // That it is gone, its log says too, and there it is shown.
    api.getSession(sessionId, { signal: asking.signal }).then(put, () => undefined);
    return () => asking.abort();
  }, [api, put, sessionId, isMissing]);
  return session;
}

/** The list, newest first, archived ones and side calls left out. */
export function useSessions(): readonly SessionView[] {
  const sessions = usePageState(({ sessions }) => sessions);
  const listed = usePageState(({ listed }) => listed);
  return useMemo(
    () => sortSessions(sessions, listed, (session) => !session.archived && !isSideCall(session)),
    [sessions, listed],
  );
}

/** What the page has of the session's log, kept up to date as long as the component is there. */
export function useTranscript(sessionId: string): SessionLog | undefined {
  const { logs } = usePageData();
  useEffect(() => logs.open(sessionId), [logs, sessionId]);
  return usePageState(({ logs }) => logs.get(sessionId));
}

/** Those whose last turn failed of late, the latest first. */
export function useFailedSessions(): readonly SessionView[] {
  const sessions = usePageState(({ sessions }) => sessions);
  const today = Math.floor(useNow() / DAY_MS) * DAY_MS;
  return useMemo(() => failedSessions(sessions, today - DAY_MS), [sessions, today]);
}

/** Those that wait for a person, the longest wait first. */
export function useWaitingSessions(): readonly SessionView[] {
  const sessions = usePageState(({ sessions }) => sessions);
  return useMemo(() => waitingSessions(sessions), [sessions]);
}
