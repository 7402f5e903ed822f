import { type CandidateView, CaretError, type ComparisonView } from "@caret/protocol";
import { z } from "zod";
import { filled, flag, line, notBlank } from "../native/fields.ts";
import { chooseWorkspace } from "./choose-workspace.ts";
import type { HostCall } from "./dispatch-calls.ts";
import { waitField } from "./dispatch-fields.ts";
import type { DispatchOptions } from "./dispatch-options.ts";

/** Arguments of `compare`: a prompt and models for a new comparison, or the comparison to go on with. */
export const compareFields = z.object({
  prompt: notBlank.describe("For a new comparison: the task, the same for each model").optional(),
  models: z.array(line).describe("For a new comparison: at least two models").optional(),
  workspace: filled.describe("For a new comparison: a directory of a git repository").optional(),
  comparison: filled.describe("The handle of a comparison: wait for it, read a diff, pick or drop").optional(),
  diff: filled.describe("The number of a candidate whose diff to read").optional(),
  pick: filled.describe("The number of the candidate to merge; the others are dropped").optional(),
  force: flag
    .describe(
      "With `pick` or `drop`: also what git ignores, or is in no diff, goes with the worktrees; else it is named and kept",
    )
    .optional(),
  drop: flag.describe("Merge none, and remove the worktrees, with the changes that `diff` shows").optional(),
  ...waitField.shape,
});

type CompareInput = z.infer<typeof compareFields>;

interface ComparisonReport extends Pick<ComparisonView, "state" | "picked"> {
  readonly comparison: string;
  readonly candidates: readonly object[];
  readonly next: string;
}

/** One prompt for several models. Takes no checks, since nobody would review these commands; a person can give one with `caret compare`. */
export async function compareModels(
  options: DispatchOptions,
  input: CompareInput,
  call: HostCall,
): Promise<ComparisonReport | { readonly diff: string }> {
  const { client } = options;
  const id = input.comparison ?? (await startComparison(options, input, call));
  const { pick: candidate, force } = input;
  if (candidate !== undefined)
    return reportOf(await client.pickCandidate(id, { candidate, ...(force === undefined ? {} : { force }) }));
  if (input.drop === true) return reportOf(await client.dropComparison(id, force === undefined ? {} : { force }));
  const view = await waitUntilReady(options, id, input.wait_seconds, call);
  return input.diff === undefined ? reportOf(view) : { diff: diffOf(view, input.diff) };
}

async function startComparison(
  { client, workspace: fallback, permission }: DispatchOptions,
  { prompt, models, workspace: named }: CompareInput,
  { roots }: HostCall,
): Promise<string> {
  if (prompt === undefined || models === undefined)
    throw new CaretError(
      "invalid-request",
      "A new comparison needs `prompt` and `models`; `comparison` names one that is there",
    );
  const workspace = await chooseWorkspace(named, { roots, fallback });
  return (await client.startComparison({ prompt, models, workspace, permission })).id;
}

async function waitUntilReady(
  { client, waitMs }: DispatchOptions,
  id: string,
  waitSeconds: number | undefined,
  { signal }: HostCall,
): Promise<ComparisonView> {
  const limit = AbortSignal.timeout(waitSeconds === undefined ? waitMs : waitSeconds * 1000);
  let newest: ComparisonView | undefined;
  try {
    for await (const view of client.followComparison(id, { signal: AbortSignal.any([signal, limit]) })) {
      newest = view;
      if (view.state !== "running") break;
    }
  } catch (reason) {
    if (!limit.aborted && !signal.aborted) throw reason;
  }
  // The host no longer wants what it asked for.
  if (signal.aborted) return await client.dropComparison(id, { keep: true });
  return newest ?? (await client.getComparison(id));
}

function reportOf({ id, state, candidates, picked }: ComparisonView): ComparisonReport {
  const next = {
    running: `The candidates still work. Call \`compare\` with comparison ${id} to wait for them.`,
    ready: `Call \`compare\` with comparison ${id} and \`diff\` to read a candidate's diff, then with \`pick\` or \`drop\`. Drop it if none is wanted.`,
    picked: "The picked work is merged; no worktree is left but where a candidate is `kept`.",
    dropped: "Nothing was merged; no worktree is left but where a candidate is `kept`.",
  }[state];
  return {
    comparison: id,
    state,
    candidates: candidates.map(summaryOf),
    ...(picked === undefined ? {} : { picked }),
    next,
  };
}

/** Omits the diffs, which are long. */
function summaryOf({ files, ...candidate }: CandidateView): object {
  if (files === undefined) return candidate;
  return { ...candidate, files: files.map(({ unified: _, ...file }) => file) };
}

function diffOf({ candidates }: ComparisonView, wanted: string): string {
  const found = candidates.find(({ id }) => id === wanted);
  if (found === undefined) throw new CaretError("not-found", `The comparison has no candidate ${wanted}`);
  return (found.files ?? []).map(({ path, status, unified }) => unified ?? `${status}: ${path}\n`).join("");
}
