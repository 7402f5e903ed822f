import { CaretError, type FoundPlace, type SearchView } from "@caret/protocol";
import { useCallback, useEffect, useState } from "react";
import { useApi } from "../data/page-hooks.ts";

/** Long enough not to ask at each letter. */
const TYPING_MS = 200;
/** How long the gateway takes, about, until what was said last is indexed. */
const INDEXING_MS = 2_000;
const PAGE = 20;

export interface Said {
  readonly places: readonly FoundPlace[];
  /** How many sessions are not wholly indexed yet. */
  readonly behind: number;
  readonly isLoading: boolean;
  readonly error?: CaretError;
  /** Absent when there is nothing older. */
  readonly more?: () => void;
}

interface Answered extends SearchView {
  /** What it answers. */
  readonly query: string;
  readonly error?: CaretError;
}

const nothing: Answered = { query: "", places: [], behind: 0 };

/** What was said with these words, the newest first. Nothing is asked for without a letter or a digit. */
export function useSaid(typed: string, limit = PAGE): Said {
  const api = useApi();
  const [answered, setAnswered] = useState(nothing);
  const query = /[\p{L}\p{N}]/u.test(typed) ? typed.trim() : "";
  useEffect(() => {
    if (query === "") return setAnswered(nothing);
    const asking = new AbortController();
    const ask = (): void => {
      api.search({ query, limit }, { signal: asking.signal }).then(
        (view) => {
          setAnswered({ ...view, query });
          // What is being indexed may be what is looked for.
          if (view.behind > 0 && view.places.length === 0) timer = setTimeout(ask, INDEXING_MS);
        },
        (reason: unknown) => {
          if (!asking.signal.aborted) setAnswered({ ...nothing, query, error: CaretError.from(reason) });
        },
      );
    };
    let timer = setTimeout(ask, TYPING_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [api, query, limit]);
  const { next } = answered;
  const more = useCallback(() => {
    if (next === undefined) return;
    api.search({ query, limit, before: next }).then(
      (view) =>
        setAnswered((before) =>
          before.query === query ? { ...view, query, places: [...before.places, ...view.places] } : before,
        ),
      (reason: unknown) => setAnswered((before) => ({ ...before, error: CaretError.from(reason) })),
    );
  }, [api, query, limit, next]);
  return { ...answered, isLoading: answered.query !== query, ...(next === undefined ? {} : { more }) };
}
