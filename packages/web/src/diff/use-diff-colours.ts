import { useMemo } from "react";
import { grammarOfPath } from "../markdown/grammars.ts";
import type { HighlightedLine } from "../markdown/highlighter.ts";
import { useHighlight } from "../markdown/use-highlight.ts";
import type { DiffRow } from "./diff-rows.ts";
import { rowColours, sideText } from "./highlighted-rows.ts";

/** The colours of the rows of a change in this file, found off the main thread; none until then. */
export function useDiffColours(
  rows: readonly DiffRow[],
  path: string | undefined,
): readonly (HighlightedLine | undefined)[] {
  const grammar = path === undefined ? undefined : grammarOfPath(path);
  const sides = useMemo(
    () =>
      grammar === undefined
        ? { before: "", after: "" }
        : { before: sideText(rows, "old"), after: sideText(rows, "new") },
    [rows, grammar],
  );
  const before = useHighlight(sides.before, grammar);
  const after = useHighlight(sides.after, grammar);
  return useMemo(() => rowColours(rows, before, after), [rows, before, after]);
}
