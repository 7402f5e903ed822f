import { changeText, type FileDiff, markHidden } from "@caret/protocol";
import type { Look } from "./look.ts";

/** A file change, line by line. Invisible characters are spelled out. */
export function changeLines(change: Omit<FileDiff, "path">, { style }: Look): readonly string[] {
  const paint = (line: string): string => {
    if (line.startsWith("+")) return style.green(line);
    return line.startsWith("-") ? style.red(line) : style.dim(line);
  };
  return markHidden(changeText(change))
    .split("\n")
    .map((line) => `  ${paint(line)}`);
}
