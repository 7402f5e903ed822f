import { type CandidateView, type ComparisonView, formatCost } from "@caret/protocol";
import { durationText, elapsedText } from "./amount-text.ts";
import type { Look } from "./look.ts";
import { padEnd, shortenEnd } from "./shorten.ts";
import { type TableColumn, type TableOptions, tableLines } from "./table-lines.ts";
import { cleanLine } from "./text-cleaner.ts";

const head: readonly TableColumn[] = [
  { title: "#", align: "right" },
  { title: "model", cut: "middle" },
  { title: "outcome", cut: "end" },
  { title: "check" },
  { title: "files", align: "right" },
  { title: "+", align: "right" },
  { title: "-", align: "right" },
  { title: "cost", align: "right" },
  { title: "time", align: "right" },
];

/** Each candidate's result. Unknown values stay empty. */
export function resultLines({ candidates }: ComparisonView, options: TableOptions): readonly string[] {
  return tableLines(head, candidates.map(resultCells), options);
}

function resultCells(candidate: CandidateView): readonly string[] {
  const { id, model, files, omitted = 0, usage, durationMs } = candidate;
  return [
    id,
    model,
    outcomeText(candidate),
    checkText(candidate),
    files === undefined ? "" : String(files.length + omitted),
    files === undefined ? "" : String(sum(files.map(({ additions = 0 }) => additions))),
    files === undefined ? "" : String(sum(files.map(({ deletions = 0 }) => deletions))),
    usage?.cost === undefined ? "" : formatCost(usage.cost),
    durationMs === undefined ? "" : durationText(durationMs),
  ];
}

/** One line per candidate while it works, aligned. */
export function progressLines(
  { candidates, createdAt }: ComparisonView,
  { glyphs, style, columns }: Look & { readonly columns: number },
  now: number,
): readonly string[] {
  const width = Math.max(...candidates.map(({ model }) => model.length));
  return candidates.map((candidate) => {
    const { model, state, lastLine, durationMs } = candidate;
    const time = durationMs === undefined ? elapsedText(now - createdAt) : durationText(durationMs);
    const words = state === "done" ? `${outcomeText(candidate)} ${checkText(candidate)}` : `${state} ${lastLine}`;
    const line = `${padEnd(cleanLine(model), width)}  ${padEnd(time, 7)}  ${cleanLine(words).trim()}`;
    const shown = shortenEnd(line, columns - 1, glyphs.ellipsis);
    return state === "done" ? shown : style.dim(shown);
  });
}

function outcomeText({ outcome, state }: CandidateView): string {
  if (outcome === undefined) return state;
  return outcome.kind === "failed" ? `failed: ${outcome.error.message}` : outcome.kind;
}

function checkText({ check }: CandidateView): string {
  if (check === undefined) return "";
  if (check.exitCode === null) return "stopped";
  return check.exitCode === 0 ? "passed" : `exit ${check.exitCode}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
