type Press = Pick<
  KeyboardEvent,
  "key" | "code" | "altKey" | "ctrlKey" | "metaKey" | "defaultPrevented" | "repeat" | "target"
>;

/**
 * What a key press decides about an approval that waits: A and D, with Alt also while somebody types. A key that is held
 * down decides once: the next approval is another question.
 */
export function approvalKey(press: Press): "approved" | "rejected" | undefined {
  if (press.defaultPrevented || press.repeat || press.ctrlKey || press.metaKey) return undefined;
  if (!press.altKey && isTyping(press.target)) return undefined;
  // With Alt some keyboards type another letter: the key counts then.
  const letter = press.altKey ? press.code.replace("Key", "").toLowerCase() : press.key.toLowerCase();
  if (letter === "a") return "approved";
  return letter === "d" ? "rejected" : undefined;
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as Partial<HTMLElement> | null;
  return element?.closest?.("input, textarea, select, [contenteditable], dialog[open], [role=menu]") != null;
}
