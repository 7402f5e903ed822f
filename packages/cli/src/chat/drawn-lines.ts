import type { Component } from "@earendil-works/pi-tui";
import { fitLines } from "./fit-lines.ts";

/** A screen component made of lines, computed anew at each drawing. */
export function drawnLines(linesAt: (columns: number) => readonly string[]): Component {
  return { render: (columns) => [...fitLines(linesAt(columns), columns)], invalidate: () => undefined };
}
