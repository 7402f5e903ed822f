import { trimEndOf } from "@caret/protocol";
/** Content within a section has no blank lines in between. */
export type Section = "text" | "thinking" | "tools" | "notes" | "asked" | "end";

/** Tracks the position on the page, so sections are separated by a blank line however their texts end. */
export interface Page {
  /** Line ends to print before content of this section starts on a new line. */
  begin(section: Section): string;
  /** Line ends to print before continuing a section in the middle of its line. */
  resume(section: Section): string;
  /** Records what is printed. */
  add(text: string): string;
  readonly isAtLineStart: boolean;
}

export function createPage(): Page {
  let current: Section | undefined;
  let lineEnds = 2;

  const add = (text: string): string => {
    const trailing = text.length - trimEndOf(text, "\n").length;
    if (text !== "") lineEnds = trailing === text.length ? lineEnds + trailing : trailing;
    return text;
  };

  return {
    begin(section) {
      const wanted = current === undefined ? 0 : current === section ? 1 : 2;
      current = section;
      return add("\n".repeat(Math.max(0, wanted - lineEnds)));
    },
    resume(section) {
      return current === section ? "" : this.begin(section);
    },
    add,
    get isAtLineStart() {
      return lineEnds > 0;
    },
  };
}
