/** Whether a key belongs to what has the focus, so that a letter is no shortcut there. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable], dialog[open], [role=menu]") !== null
  );
}
