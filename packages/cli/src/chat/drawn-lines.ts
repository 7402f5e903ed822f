import type { Component } from "@earendil-works/pi-tui";
import { fitLines } from "./fit-lines.ts";

/** A part of the screen that is only lines, drawn from whatever is true at the moment. */
export function drawnLines(linesAt: (columns: number) => readonly string[]): Component {
  return { render: (columns) => [...fitLines(linesAt(columns), columns)], invalidate: () => undefined };
}
