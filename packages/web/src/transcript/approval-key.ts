type Press = Pick<
  KeyboardEvent,
  "key" | "code" | "altKey" | "ctrlKey" | "metaKey" | "defaultPrevented" | "repeat" | "target"
>;

type Decision = "approved" | "rejected";

/** Alt+A and Alt+D decide the next approval from anywhere on the screen, also while the person types. */
export function globalApprovalKey(press: Press): Decision | undefined {
  if (!press.altKey || !isSinglePress(press)) return undefined;
  // With Alt some keyboard layouts type another letter, so the key's position counts.
  return decisionOf(press.code.replace("Key", ""));
}

/** A and D alone decide an approval only while its card has the focus: text that is typed elsewhere never does. */
export function cardApprovalKey(press: Press): Decision | undefined {
  if (press.altKey || !isSinglePress(press) || isTextField(press.target)) return undefined;
  return decisionOf(press.key);
}

/** A held key decides once: the next approval is another question. */
function isSinglePress({ defaultPrevented, repeat, ctrlKey, metaKey }: Press): boolean {
  return !(defaultPrevented || repeat || ctrlKey || metaKey);
}

function isTextField(target: EventTarget | null): boolean {
  return (target as Partial<HTMLElement> | null)?.closest?.("input, textarea, select, [contenteditable]") != null;
}

function decisionOf(letter: string): Decision | undefined {
  if (letter.toLowerCase() === "a") return "approved";
  return letter.toLowerCase() === "d" ? "rejected" : undefined;
}
