export interface FileChange {
  readonly path: string;
  /** Absent for a file that was not there. */
  readonly before: string | undefined;
  readonly after: string;
}

interface DiffSummary {
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly diffString: string;
}

const CONTEXT_LINES = 3;

/** One hunk from the first to the last line that differs, in the agent's own spelling of a unified diff. */
export function diffString({ path, before, after }: FileChange): DiffSummary {
  const old = toLines(before ?? "");
  const now = toLines(after);
  const shorter = Math.min(old.length, now.length);
  const same = (index: number) => old[index] === now[index];
  let head = 0;
  while (head < shorter && same(head)) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  const above = old.slice(Math.max(0, head - CONTEXT_LINES), head);
  const below = old.slice(old.length - tail, Math.min(old.length, old.length - tail + CONTEXT_LINES));
  const start = head - above.length + 1;
  const context = above.length + below.length;
  const lines = [
    before === undefined ? "--- /dev/null" : `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -${range(start, removed.length + context)} +${range(start, added.length + context)} @@`,
    ...above.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...below.map((line) => ` ${line}`),
  ];
  return { linesAdded: added.length, linesRemoved: removed.length, diffString: lines.join("\n") };
}

function toLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function range(start: number, count: number): string {
  return count === 1 ? String(start) : `${start},${count}`;
}
