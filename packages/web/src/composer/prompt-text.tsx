import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef } from "react";
import { useFilePopover } from "./use-file-popover.ts";
import { useTypedKeys } from "./use-typed-keys.ts";

interface PromptTextProps {
  readonly label: string;
  readonly placeholder: string;
  readonly workspace: string | undefined;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onEnter: (isAside: boolean) => void;
}

const MAX_HEIGHT = 320;

export function PromptText({ label, placeholder, text, onChange, onEnter, workspace }: PromptTextProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const popover = useFilePopover({ area, text, onChange, workspace });
  useGrowing(area, text);
  useFocusAtFirst(area);
  useTypedKeys(area);
  const onKeyDown = (event: KeyboardEvent): void => {
    const isTaken = popover.press(event.key);
    if (!isTaken && !sends(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!isTaken) onEnter(event.ctrlKey || event.metaKey);
  };
  return (
    <>
      {popover.isOpen && <FileList id={id} files={popover.files} chosen={popover.chosen} onChoose={popover.take} />}
      <textarea
        ref={area}
        rows={1}
        aria-label={label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={popover.isOpen ? id : undefined}
        aria-activedescendant={popover.isOpen ? `${id}-${popover.chosen}` : undefined}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          onChange(event.target.value);
          popover.look();
        }}
        onSelect={popover.look}
        onBlur={popover.close}
        onKeyDown={onKeyDown}
        className="block max-h-80 min-h-11 w-full resize-none bg-transparent px-3 py-2.5 text-[16px] leading-6 outline-none! placeholder:text-faint md:text-[14px]"
      />
    </>
  );
}

/** Enter sends, but not where there is no Shift to make a new line with, and not while a word is being composed. */
function sends({ key, shiftKey, ctrlKey, metaKey, nativeEvent }: KeyboardEvent): boolean {
  if (key !== "Enter" || shiftKey || nativeEvent.isComposing) return false;
  return ctrlKey || metaKey || !matchMedia("(pointer: coarse)").matches;
}

function useGrowing(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(MAX_HEIGHT, element.scrollHeight)}px`;
  }, [area, text]);
}

/** A phone's keyboard would cover half of what one came to read. */
function useFocusAtFirst(area: RefObject<HTMLTextAreaElement | null>): void {
  useLayoutEffect(() => {
    if (!matchMedia("(pointer: coarse)").matches) area.current?.focus({ preventScroll: true });
  }, [area]);
}

interface FileListProps {
  readonly id: string;
  readonly files: readonly string[];
  readonly chosen: number;
  readonly onChoose: (path: string) => void;
}

/** Suggestions above the prompt. The keyboard stays in the prompt, which says which one is chosen. */
function FileList({ id, files, chosen, onChoose }: FileListProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Files"
      tabIndex={-1}
      className="absolute inset-x-0 bottom-full z-20 mb-1 max-h-72 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lg"
    >
      {files.map((path, index) => (
        <div
          key={path}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          // Before the click takes the focus away from the prompt.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(path);
          }}
          className="flex min-h-8 cursor-pointer items-center truncate rounded px-2 font-mono text-[12px] hover:bg-panel aria-selected:bg-accent/10 aria-selected:text-accent max-md:min-h-10"
        >
          {path}
        </div>
      ))}
    </div>
  );
}
