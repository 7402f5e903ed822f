import { type RefObject, useState } from "react";
import { type FileQuery, fileQueryAt, insertFile } from "./file-query.ts";
import { useFileSuggestions } from "./use-file-suggestions.ts";

interface FilePopoverOptions {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly workspace: string | undefined;
}

export interface FilePopover {
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
