import type { ApprovalPart, ApprovalView } from "./approval-view.ts";

const COMMAND = "$ ";
/** Before each further line of a text, so that none of them looks like the next part. */
const FURTHER = "> ";

/** The whole view as plain text, for a door that has nothing but text. */
export function approvalText({ title, parts }: ApprovalView): string {
  return [title, ...parts.flatMap(partLines)].join("\n");
}

/** A part as lines: a single line behind its label, several below it, each with a mark of its own. */
export function partLines({ kind, label, text }: ApprovalPart): readonly string[] {
  const lines = text.split("\n");
  if (kind === "command") return lines.map((line, index) => (index === 0 ? COMMAND : FURTHER) + line);
  if (kind === "change") return text === "" ? [label] : [label, ...lines];
  if (lines.length === 1) return [`${label}: ${text}`];
  return [`${label}:`, ...lines.map((line) => FURTHER + line)];
}
