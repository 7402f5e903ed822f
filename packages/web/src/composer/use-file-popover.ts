import { type RefObject, useEffect, useState } from "react";
import { useApi } from "../data/page-hooks.ts";

const PAUSE_MS = 120;

const MAX_SHOWN = 8;

const none: readonly string[] = [];

const MAX_QUERY = 200;

interface FilePopoverOptions {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly workspace: string | undefined;
}

interface FilePopover {
  readonly isOpen: boolean;
  readonly files: readonly string[];
  readonly chosen: number;
  readonly take: (path: string) => void;
  /** The text or the caret has changed. */
  readonly look: () => void;
  readonly close: () => void;
  /** Whether the key was for the list. */
  readonly press: (key: string) => boolean;
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const takingKeys: ReadonlySet<string> = new Set(["Enter", "Tab"]);

/** The list of files behind an `@`, steered by the keyboard from within the prompt. */
export function useFilePopover({ area, text, onChange, workspace }: FilePopoverOptions): FilePopover {
  const [query, setQuery] = useState<FileQuery>();
  const [chosen, setChosen] = useState(0);
  const files = useFileSuggestions(workspace, query?.query);
  const isOpen = files.length > 0 && query !== undefined;
  const close = (): void => setQuery(undefined);
  const look = (): void => {
    const element = area.current;
    setQuery(element === null ? undefined : fileQueryAt(element.value, element.selectionStart));
    setChosen(0);
  };
  const take = (path: string): void => {
    if (query === undefined) return;
    const next = insertFile(text, query, path);
    onChange(next.text);
    close();
    // The caret can be set only once the text is in the field.
    requestAnimationFrame(() => area.current?.setSelectionRange(next.caret, next.caret));
  };
  const press = (key: string): boolean => {
    if (!isOpen) return false;
    const step = steps[key];
    if (step !== undefined) setChosen((chosen + step + files.length) % files.length);
    if (takingKeys.has(key)) take(files[chosen] ?? "");
    if (key === "Escape") close();
    return step !== undefined || takingKeys.has(key) || key === "Escape";
  };
  return { isOpen, files, chosen, take, look, close, press };
}

/** What is being typed behind an `@`, and where in the text it stands. */
interface FileQuery {
  readonly query: string;
  readonly start: number;
  readonly end: number;
}

/** The `@` the caret stands behind, if it begins a word: an address such as `a@b.c` is none. */
export function fileQueryAt(text: string, caret: number): FileQuery | undefined {
  const before = text.slice(Math.max(0, caret - MAX_QUERY), caret);
  const query = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(before)?.[1];
  return query === undefined ? undefined : { query, start: caret - query.length - 1, end: caret };
}

/** The text with the path in place of what was typed, and where the caret goes. */
export function insertFile(text: string, { start, end }: FileQuery, path: string) {
  const inserted = `@${path} `;
  const rest = text.slice(end).replace(/^ /, "");
  return { text: text.slice(0, start) + inserted + rest, caret: start + inserted.length };
}

/** Files of the workspace that fit what is typed; none while nothing is. */
function useFileSuggestions(workspace: string | undefined, query: string | undefined): readonly string[] {
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
