const PREFIX = "caret.draft.";

/** What was typed and not sent yet. Storage may be forbidden or full: then a draft lives as long as its page. */
export function readDraft(name: string): string {
  try {
    return localStorage.getItem(PREFIX + name) ?? "";
  } catch {
    return ""; // No storage: there is no draft to find.
  }
}

export function writeDraft(name: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, text);
  } catch {
    // The text is still in its field; only a reload would lose it.
  }
}
