/** The key for commands on this machine. */
export function commandKey(): "⌘" | "Ctrl" {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";
}
