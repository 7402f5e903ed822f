import { useEffect, useState } from "react";
import { type HighlightedLine, highlight, knownHighlight } from "./highlighter.ts";

/** The colours of a text once they are found; undefined before, and where there are none. */
export function useHighlight(code: string, grammar: string | undefined): readonly HighlightedLine[] | undefined {
  const known = grammar === undefined ? undefined : knownHighlight(code, grammar);
  const [, setFound] = useState<string>();
  useEffect(() => {
    if (grammar === undefined || known !== undefined) return;
    let isWanted = true;
    void highlight(code, grammar).then((lines) => {
      // The lines themselves are kept by the highlighter: this only says that they are there now.
      if (isWanted && lines !== undefined) setFound(code);
    });
    return () => {
      isWanted = false;
    };
  }, [code, grammar, known]);
  return known;
}
