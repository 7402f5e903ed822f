import { type FileDiff, markHidden } from "@caret/protocol";
import type { Look } from "./look.ts";

/** A change of a file, line by line below its path. Characters that cannot be seen are written out. */
export function diffLines({ path, ...change }: FileDiff, look: Look): readonly string[] {
  return [`  ${look.style.bold(markHidden(path))}`, ...changeLines(change, look)];
}

/** The same without the path. */
export function changeLines({ unified, before, after }: Omit<FileDiff, "path">, { style }: Look): readonly string[] {
  const text = unified ?? [...signed(before, "-"), ...signed(after, "+")].join("\n");
  const paint = (line: string): string => {
    if (line.startsWith("+")) return style.green(line);
    return line.startsWith("-") ? style.red(line) : style.dim(line);
  };
  return markHidden(text)
    .trimEnd()
    .split("\n")
    .map((line) => `  ${paint(line)}`);
}

function signed(text: string | undefined, sign: string): readonly string[] {
  if (text === undefined || text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => sign + line);
}
