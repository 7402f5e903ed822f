import { type RefObject, useState } from "react";
import { insertMention, type MentionQuery, mentionAt } from "./mention-query.ts";
import { findCommands, type PromptCommand } from "./prompt-commands.ts";
import { useMentions } from "./use-mentions.ts";

interface PromptPopoverOptions {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly workspace: string | undefined;
  readonly commands: readonly PromptCommand[];
}

/** One line of the list above the prompt. */
export interface Suggestion {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly take: () => void;
}

export interface PromptPopover {
  readonly label: string;
  readonly isOpen: boolean;
  readonly items: readonly Suggestion[];
  readonly chosen: number;
  /** The text or the caret has changed. */
  readonly look: () => void;
  readonly close: () => void;
  /** Whether the key was for the list. */
  readonly press: (key: string) => boolean;
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const takingKeys: ReadonlySet<string> = new Set(["Enter", "Tab"]);

/** What `@` and `/` offer, steered by the keyboard from within the prompt. */
export function usePromptPopover(options: PromptPopoverOptions): PromptPopover {
  const { area, text } = options;
  const [mention, setMention] = useState<MentionQuery>();
  const [isLooking, setLooking] = useState(false);
  const [chosen, setChosen] = useState(0);
  const close = (): void => {
    setMention(undefined);
    setLooking(false);
  };
  const mentions = useMentionItems(options, mention, close);
  const commands = isLooking ? commandItems(options) : [];
  const items = commands.length > 0 ? commands : mentions;
  const isOpen = items.length > 0;
  const look = (): void => {
    const element = area.current;
    setMention(element === null ? undefined : mentionAt(element.value, element.selectionStart));
    setLooking(element?.value.startsWith("/") === true);
    setChosen(0);
  };
  const press = (key: string): boolean => {
    if (!isOpen) return false;
    const step = steps[key];
    if (step !== undefined) setChosen((chosen + step + items.length) % items.length);
    if (takingKeys.has(key)) items[chosen]?.take();
    if (key === "Escape") close();
    return step !== undefined || takingKeys.has(key) || key === "Escape";
  };
  return { label: text.startsWith("/") ? "Commands" : "Files", isOpen, items, chosen, look, close, press };
}

function useMentionItems(
  { area, text, onChange, workspace }: PromptPopoverOptions,
  mention: MentionQuery | undefined,
  close: () => void,
): readonly Suggestion[] {
  const mentions = useMentions(workspace, mention?.query);
  if (mention === undefined) return [];
  return mentions.map(({ path, symbol }) => ({
    key: `${path} ${symbol ?? ""}`,
    label: symbol ?? path,
    hint: symbol === undefined ? "" : path,
    take() {
      const next = insertMention(text, mention, path);
      onChange(next.text);
      close();
      // The caret can be set only once the text is in the field.
      requestAnimationFrame(() => area.current?.setSelectionRange(next.caret, next.caret));
    },
  }));
}

function commandItems({ text, onChange, commands }: PromptPopoverOptions): readonly Suggestion[] {
  return findCommands(commands, text).map(({ key, label, hint, insert, run }) => ({
    key,
    label,
    hint,
    take() {
      onChange(insert ?? "");
      run?.();
    },
  }));
}
