import type { ApprovalPart, ApprovalView } from "./approval-view.ts";

const COMMAND = "$ ";
/** Prefix of continuation lines, so none of them can pass for the next part. */
const FURTHER = "> ";

/** The whole view as plain text, for doors that only have text. */
export function approvalText({ title, parts }: ApprovalView): string {
  return [title, ...parts.flatMap(partLines)].join("\n");
}

/** Renders a part as lines: one line follows its label, several go below it, each with a prefix. */
export function partLines({ kind, label, text }: ApprovalPart): readonly string[] {
  const lines = text.split("\n");
  if (kind === "command") return lines.map((line, index) => (index === 0 ? COMMAND : FURTHER) + line);
  if (kind === "change") return text === "" ? [label] : [label, ...lines];
  if (lines.length === 1) return [`${label}: ${text}`];
  return [`${label}:`, ...lines.map((line) => FURTHER + line)];
}
