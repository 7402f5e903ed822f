import type { SessionView } from "@caret/protocol";
import { useEffect, useMemo, useState } from "react";
import { useApi, useSessions } from "../data/page-hooks.ts";
import { StatusDot, statusWords } from "../parts/status-dot.tsx";
import { type Destination, newSessionRoute, sessionsRoute, useOtherRoutes } from "../screen/nav-link.tsx";
import type { PaletteAction, PaletteEntry } from "./palette-action.ts";
import { useMoreActions } from "./use-more-actions.tsx";
import { useSaidActions } from "./use-said-actions.tsx";
import { useSessionPalette } from "./use-session-palette.tsx";

const MOST_SESSIONS = 30;
/** Long enough not to ask at each letter. */
const TYPING_MS = 150;

/** What the palette offers for what was typed: screens and actions, and sessions, also those the list does not hold. */
export function usePaletteActions(typed: string): readonly PaletteAction[] {
  const listed = useSessions();
  const found = useFoundSessions(typed);
  const more = useMoreActions();
  const open = useSessionPalette();
  const said = useSaidActions(typed);
  const others = useOtherRoutes();
  return useMemo(() => {
    const routes = [newSessionRoute, sessionsRoute, ...others].map(routeAction);
    const actions = more.map(({ label, icon, onChoose }) => ({ id: label, label, icon, onChoose }));
    const ranked = rankEntries(listed.map(sessionAction), typed).slice(0, MOST_SESSIONS);
    const known = new Set(ranked.map(({ id }) => id));
    const further = found.map(sessionAction).filter(({ id }) => !known.has(id));
    const rest = rankEntries([...open, ...routes, ...actions], typed);
    return typed.trim() === "" ? [...rest, ...ranked] : [...ranked, ...further, ...rest, ...said];
  }, [typed, listed, found, more, open, said, others]);
}

function useFoundSessions(typed: string): readonly SessionView[] {
  const api = useApi();
  const [found, setFound] = useState<readonly SessionView[]>([]);
  const search = typed.trim();
  useEffect(() => {
    if (search === "") return setFound([]);
    const asking = new AbortController();
    const timer = setTimeout(() => {
      const answer = api.listSessions({ search, limit: MOST_SESSIONS }, { signal: asking.signal });
      // The sessions at hand are searched anyway.
      answer.then(({ sessions }) => setFound(sessions)).catch(() => undefined);
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [api, search]);
  return search === "" ? [] : found;
}

function routeAction({ href, label, icon, also }: Destination): PaletteAction {
  return { id: href, label, icon, also, href };
}

function sessionAction({ id, title, status, workspace }: SessionView): PaletteAction {
  return {
    id,
    label: title || "Untitled",
    also: workspace,
    detail: statusWords(status),
    icon: <StatusDot status={status} />,
    href: `/s/${id}`,
  };
}

/** Those that fit what was typed, best first: every word has to be in it, and the earlier, the better. */
export function rankEntries<Entry extends PaletteEntry>(entries: readonly Entry[], typed: string): readonly Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  const scored = entries.flatMap((entry) => {
    const score = scoreOf(entry, words);
    return score === undefined ? [] : [{ entry, score }];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ entry }) => entry);
}

function scoreOf({ label, also = "" }: PaletteEntry, words: readonly string[]): number | undefined {
  const text = label.toLowerCase();
  let score = 0;
  for (const word of words) {
    const at = text.indexOf(word);
    const alsoAt = also.toLowerCase().indexOf(word);
    if (at === -1 && alsoAt === -1) return undefined;
    // At the start of a word is better than within one; in the label better than beside it.
    const isStart = at === 0 || text[at - 1] === " ";
    score += at === -1 ? 2000 + alsoAt : isStart ? at : 1000 + at;
  }
  return score;
}
