import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef } from "react";
import type { PromptCommand } from "./prompt-commands.ts";
import { usePromptHistory } from "./prompt-history.ts";
import { type PromptPopover, usePromptPopover } from "./use-prompt-popover.ts";
import { useTypedKeys } from "./use-typed-keys.ts";

interface PromptTextProps {
  readonly label: string;
  readonly placeholder: string;
  readonly workspace: string | undefined;
  /** What `/` offers. */
  readonly commands?: readonly PromptCommand[];
  /** What `↑` brings back, the newest first. */
  readonly history?: readonly string[];
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onEnter: (isAside: boolean) => void;
}

const MAX_HEIGHT = 320;

const nothing = [] as const;

export function PromptText(props: PromptTextProps) {
  const { label, placeholder, text, onChange, onEnter, workspace, commands = nothing, history = nothing } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const popover = usePromptPopover({ area, text, onChange, workspace, commands });
  const browse = usePromptHistory(history, text, onChange);
  useGrowing(area, text);
  useFocusAtFirst(area);
  useTypedKeys(area);
  const onKeyDown = (event: KeyboardEvent): void => {
    const isTaken = popover.press(event.key) || (isBare(event) && browse(event.key, area.current));
    if (!isTaken && !sends(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!isTaken) onEnter(event.ctrlKey || event.metaKey);
  };
  return (
    <>
      {popover.isOpen && <SuggestionList id={id} popover={popover} />}
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

function isBare({ shiftKey, ctrlKey, metaKey, altKey, nativeEvent }: KeyboardEvent): boolean {
  return !(shiftKey || ctrlKey || metaKey || altKey || nativeEvent.isComposing);
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

interface SuggestionListProps {
  readonly id: string;
  readonly popover: PromptPopover;
}

/** Suggestions above the prompt. The keyboard stays in the prompt, which says which one is chosen. */
function SuggestionList({ id, popover: { label, items, chosen } }: SuggestionListProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
      className="absolute inset-x-0 bottom-full z-20 mb-1 max-h-72 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lg"
    >
      {items.map(({ key, label: words, hint, take }, index) => (
        <div
          key={key}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          // Before the click takes the focus away from the prompt.
          onPointerDown={(event) => {
            event.preventDefault();
            take();
          }}
          className="flex min-h-8 cursor-pointer items-center gap-2 truncate rounded px-2 font-mono text-[12px] hover:bg-panel aria-selected:bg-accent/10 aria-selected:text-accent max-md:min-h-10"
        >
          <span className={`truncate ${hint === "" ? "" : "max-w-[60%] shrink-0"}`}>{words}</span>
          {hint !== "" && <span className="min-w-0 truncate font-sans text-soft">{hint}</span>}
        </div>
      ))}
    </div>
  );
}
