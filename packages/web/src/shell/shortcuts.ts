import type { Overlay } from "./shell-actions.ts";

type Shortcut =
  | { readonly kind: "go"; readonly route: string }
  | { readonly kind: "show"; readonly overlay: Overlay }
  | { readonly kind: "focus"; readonly selector: string };

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "defaultPrevented" | "target">;

const plain: Readonly<Record<string, Shortcut>> = {
  "?": { kind: "show", overlay: "shortcuts" },
  n: { kind: "go", route: "/new" },
  i: { kind: "go", route: "/" },
  u: { kind: "go", route: "/usage" },
  g: { kind: "go", route: "/agents" },
  "/": { kind: "focus", selector: "input[type=search]" },
};

/** What a key press means wherever one is on the page. Letters mean nothing in a text field or a dialog. */
export function shortcutFor(press: Press): Shortcut | undefined {
  if (press.defaultPrevented || press.altKey) return undefined;
  const isCommand = press.ctrlKey || press.metaKey;
  if (isCommand) return press.key.toLowerCase() === "k" ? { kind: "show", overlay: "palette" } : undefined;
  return isTyping(press.target) ? undefined : plain[press.key];
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as Partial<HTMLElement> | null;
  return element?.closest?.("input, textarea, select, [contenteditable], dialog[open], [role=menu]") != null;
}

/** All of them, as the dialog lists them; those of a session are the session screen's own. */
export const shortcutList: readonly {
  readonly title: string;
  readonly keys: readonly { readonly keys: readonly string[]; readonly does: string }[];
}[] = [
  {
    title: "Anywhere",
    keys: [{ keys: ["Ctrl", "K"], does: "Go to a session, a screen or an action" }],
  },
  {
    title: "Where there is no prompt field",
    keys: [
      { keys: ["N"], does: "New session" },
      { keys: ["I"], does: "Sessions, and what waits for you" },
      { keys: ["G"], does: "Agents" },
      { keys: ["U"], does: "Usage" },
      { keys: ["/"], does: "Search, where there is a search" },
      { keys: ["?"], does: "This list" },
    ],
  },
  {
    title: "In a session",
    keys: [
      { keys: ["Enter"], does: "Send" },
      { keys: ["Shift", "Enter"], does: "New line" },
      { keys: ["Ctrl", "Enter"], does: "Queue it for after the turn" },
      { keys: ["@"], does: "Name a file, a folder or a symbol" },
      { keys: ["/"], does: "Commands of the page and of the agent" },
      { keys: ["↑"], does: "Former prompts, in an empty field" },
      { keys: ["Esc"], does: "Stop the running turn" },
      { keys: ["Ctrl", "F"], does: "Find in the whole session" },
      { keys: ["Alt", "↑"], does: "Previous prompt" },
      { keys: ["Alt", "↓"], does: "Next prompt" },
      { keys: ["Alt", "A"], does: "Approve what waits" },
      { keys: ["Alt", "D"], does: "Deny what waits" },
      { keys: ["A"], does: "Approve, while the card has the focus" },
      { keys: ["D"], does: "Deny, while the card has the focus" },
    ],
  },
  {
    title: "On a new session",
    keys: [
      { keys: ["Enter"], does: "Start and open it" },
      { keys: ["Ctrl", "Enter"], does: "Start in the background and stay here" },
    ],
  },
  {
    title: "In changes and replays",
    keys: [
      { keys: ["J"], does: "Next changed file" },
      { keys: ["K"], does: "Previous changed file" },
      { keys: ["Space"], does: "Play or pause the replay" },
    ],
  },
];

/** The key for commands on this machine. */
export function commandKey(): "⌘" | "Ctrl" {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";
}
