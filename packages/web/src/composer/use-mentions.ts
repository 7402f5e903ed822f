import type { SymbolView } from "@caret/protocol";
import { useEffect, useState } from "react";
import { useApi } from "../data/page-hooks.ts";

const PAUSE_MS = 120;
const MAX_FILES = 8;
const MAX_SYMBOLS = 6;
/** Shorter names stand everywhere. */
const MIN_SYMBOL = 2;

/** Something of the workspace that a prompt may name. */
export interface Mention {
  /** What stands behind the `@`: a path, a folder with its slash, or a path with a line. */
  readonly path: string;
  /** The symbol that is there. */
  readonly symbol?: string;
}

const none: readonly Mention[] = [];

/** Files, folders and symbols of the workspace that fit what is typed; none while nothing is. */
export function useMentions(workspace: string | undefined, query: string | undefined): readonly Mention[] {
  const api = useApi();
  const [found, setFound] = useState<readonly Mention[]>(none);
  useEffect(() => {
    if (workspace === undefined || query === undefined) {
      setFound(none);
      return;
    }
    const asking = new AbortController();
    const { signal } = asking;
    const timer = setTimeout(() => {
      const symbols = query.length < MIN_SYMBOL ? [] : api.findSymbols(workspace, query, { signal }).catch(() => []);
      Promise.all([api.findFiles(workspace, query, { signal, folders: true }), symbols]).then(
        ([paths, defined]) => setFound([...paths.slice(0, MAX_FILES).map(toMention), ...symbolMentions(defined)]),
        // Suggestions are a help; the path can be typed without them.
        () => signal.aborted || setFound(none),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [api, workspace, query]);
  return found;
}

function toMention(path: string): Mention {
  return { path };
}

function symbolMentions(symbols: readonly SymbolView[]): readonly Mention[] {
  return symbols.slice(0, MAX_SYMBOLS).map(({ name, path, line }) => ({ path: `${path}:${line}`, symbol: name }));
}
