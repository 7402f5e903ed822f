import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

const TAB = "    ";

/** Wraps lines to the terminal's width: the library refuses to draw wider ones. */
export function fitLines(lines: readonly string[], columns: number): readonly string[] {
  return lines.flatMap((line) => fitLine(line.replaceAll("\t", TAB), columns));
}

function fitLine(line: string, columns: number): readonly string[] {
  if (visibleWidth(line) <= columns) return [line];
  const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(columns / 2)) ?? "";
  const broken = wrapTextWithAnsi(line.slice(indent.length), Math.max(1, columns - indent.length));
  return broken.map((part) => indent + part);
}
