import { useEffect, useState } from "react";
import { useApi } from "../data/use-api.ts";

const PAUSE_MS = 120;
const MAX_SHOWN = 8;
const none: readonly string[] = [];

/** Files of the workspace that fit what is typed; none while nothing is. */
export function useFileSuggestions(workspace: string | undefined, query: string | undefined): readonly string[] {
  const api = useApi();
  const [files, setFiles] = useState<readonly string[]>(none);
  useEffect(() => {
    if (workspace === undefined || query === undefined) {
      setFiles(none);
      return;
    }
    const asking = new AbortController();
    const timer = setTimeout(() => {
      api.findFiles(workspace, query, { signal: asking.signal }).then(
        (found) => setFiles(found.slice(0, MAX_SHOWN)),
        // Suggestions are a help; the path can be typed without them.
        () => setFiles(none),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [api, workspace, query]);
  return files;
}
