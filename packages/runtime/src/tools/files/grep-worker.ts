import { parentPort } from "node:worker_threads";
import type { GrepAnswer, GrepQuestion } from "./grep-tool.ts";

const MAX_SHOWN_LENGTH = 500;

parentPort?.on("message", (question: GrepQuestion) => parentPort?.postMessage(answer(question)));

function answer({ pattern, flags, files, maxMatches }: GrepQuestion): GrepAnswer {
  const expression = new RegExp(pattern, flags);
  const matches: string[] = [];
  for (const { path, text } of files) {
    for (const [index, line] of text.split("\n").entries()) {
      if (!expression.test(line)) continue;
      if (matches.length === maxMatches) return { matches, isCut: true };
      matches.push(`${path}:${index + 1}:${shorten(line.replace(/\r$/, ""))}`);
    }
  }
  return { matches, isCut: false };
}

function shorten(line: string): string {
  const rest = line.length - MAX_SHOWN_LENGTH;
  return rest > 0 ? `${line.slice(0, MAX_SHOWN_LENGTH)} [… ${rest} more characters]` : line;
}
