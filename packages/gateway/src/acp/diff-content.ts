import { isAbsolute, join } from "node:path";
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import type { FileDiff } from "@caret/protocol";

/** ACP clients accept absolute paths only. */
export function absoluteIn(workspace: string, path: string): string {
  return isAbsolute(path) ? path : join(workspace, path);
}

/**
 * A change as clients compare it: the file before and after. If only a unified diff is known, each hunk becomes one comparison of the lines
 * it shows.
 */
export function diffContent({ path, before, after, unified }: FileDiff, workspace: string): ToolCallContent[] {
  const at = { type: "diff" as const, path: absoluteIn(workspace, path) };
  if (after !== undefined && (before !== undefined || unified === undefined))
    return [{ ...at, oldText: before ?? null, newText: after }];
  if (before !== undefined && unified === undefined) return [{ ...at, oldText: before, newText: "" }];
  return hunksOf(unified ?? "").map(({ oldText, newText }) => ({ ...at, oldText, newText }));
}

interface Hunk {
  readonly oldText: string;
  readonly newText: string;
}

function hunksOf(unified: string): readonly Hunk[] {
  return unified
    .split(/^@@ .*$/m)
    .slice(1)
    .map((text) => {
      const lines = text.replace(/^\n/, "").replace(/\n$/, "").split("\n");
      return { oldText: sideOf(lines, "-"), newText: sideOf(lines, "+") };
    });
}

/** The lines common to both sides, and those of this side. `\ No newline at end of file` is on neither. */
function sideOf(lines: readonly string[], mark: "-" | "+"): string {
  const own = lines.filter((line) => line.startsWith(" ") || line.startsWith(mark) || line === "");
  return own.map((line) => `${line.slice(1)}\n`).join("");
}
