import { createInterface } from "node:readline";
import type { CandidateView } from "@caret/protocol";
import type { Host } from "../../host/host.ts";
import { write } from "../../terminal/print.ts";
import { cleanText } from "../../terminal/text-cleaner.ts";

const HELP =
  "Type a number to merge that one (f and a number: also where files that Git ignores go with it and all others), d and a number for its diff, c and a number for its check, n for none; then Enter";

export interface PickedCandidate {
  readonly candidate: string;
  /** Pick even if files that no merge brings back are deleted with its worktree. */
  readonly force: boolean;
}

/**
 * Asks which candidate to merge; `f` and a number merges even if files that no merge brings back are lost. Undefined if none is wanted, if
 * the terminal closes or if the signal fires.
 */
export async function pickInTerminal(
  host: Host,
  candidates: readonly CandidateView[],
  signal: AbortSignal,
): Promise<PickedCandidate | undefined> {
  const lines = createInterface({ input: host.stdin, terminal: false, signal });
  await write(host.stdout, `${HELP}\n`);
  try {
    for await (const line of lines) {
      const said = readChoice(line, candidates);
      if (said?.kind === "none") return undefined;
      if (said?.kind === "merge" || said?.kind === "force")
        return { candidate: said.candidate.id, force: said.kind === "force" };
      await write(host.stdout, said === undefined ? `${HELP}\n` : shownOf(said.kind, said.candidate));
    }
  } finally {
    lines.close();
  }
  return undefined;
}

type Choice =
  | { readonly kind: "none" }
  | { readonly kind: "merge" | "force" | "diff" | "check"; readonly candidate: CandidateView };

function readChoice(line: string, candidates: readonly CandidateView[]): Choice | undefined {
  const [, letter = "", number = ""] = /^([dcfn]?)[a-z]*\s*(\d*)$/i.exec(line.trim()) ?? [];
  if (letter.toLowerCase() === "n") return { kind: "none" };
  const candidate = candidates.find(({ id }) => id === number);
  if (candidate === undefined) return undefined;
  const kinds = { d: "diff", c: "check", f: "force" } as const;
  return { kind: kinds[letter.toLowerCase() as keyof typeof kinds] ?? "merge", candidate };
}

function shownOf(kind: "diff" | "check", { files = [], check }: CandidateView): string {
  const text =
    kind === "check"
      ? (check?.output ?? "There was no check.")
      : files.map(({ path, status, unified }) => unified ?? `${status}: ${path}`).join("\n");
  return `${cleanText(text).trimEnd()}\n`;
}
