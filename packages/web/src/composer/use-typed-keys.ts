import { type RefObject, useEffect } from "react";

/**
 * What a person types while nothing that takes text has the focus goes into this field, so that it can never be taken for
 * a command: the focus moves before the browser inserts the character. Space and Enter keep pressing buttons and
 * scrolling.
 */
export function useTypedKeys(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isTyped(event)) return;
      field.current?.focus({ preventScroll: true });
      event.stopPropagation();
    };
    // In the capturing phase, before the page's own single-letter shortcuts.
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  }, [field]);
}

type Press = Pick<KeyboardEvent, "key" | "altKey" | "ctrlKey" | "metaKey" | "target">;

/** Elements with keys of their own: text fields, open overlays, and cards that say so. */
const ownKeys =
  "input, textarea, select, [contenteditable], dialog[open], [role=menu], [role=listbox], [data-own-keys]";

export function isTyped({ key, altKey, ctrlKey, metaKey, target }: Press): boolean {
  if (altKey || ctrlKey || metaKey || key === " " || [...key].length !== 1) return false;
  return (target as Partial<HTMLElement> | null)?.closest?.(ownKeys) == null;
}
