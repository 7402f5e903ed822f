import {
  type Caller,
  type CandidateView,
  CaretError,
  type ComparisonView,
  type PickCandidate,
  type Sessions,
  type StartComparison,
} from "@caret/protocol";
import { nameSome } from "../git/name-some.ts";
import type { Git } from "../git/run-git.ts";
import type { Spawner } from "../process/child-handle.ts";
import { branchOf, createWorktree } from "../worktrees/create-worktree.ts";
import { mergeWorktree, previewMerge } from "../worktrees/merge-worktree.ts";
import { type OnlyHere, onlyHere } from "../worktrees/only-here.ts";
import type { Worktree } from "../worktrees/worktree.ts";
import { currentTree, listChanges } from "../worktrees/worktree-changes.ts";
import { type ComparisonRecords, type KeptWorktree, keptWork } from "./comparison-records.ts";
import { type Expendable, releaseWorktree } from "./release-worktree.ts";
import { runCandidate } from "./run-candidate.ts";
import { runCheck } from "./run-check.ts";

export interface ComparisonOptions {
  readonly sessions: Sessions;
  /** Contains what checks start. */
  readonly spawner: Spawner;
  readonly git: Git;
  readonly records: ComparisonRecords;
  /** Called with each view of it, the first one too, and whose it is. */
  readonly onChange?: ((view: ComparisonView, user: string | undefined) => void) | undefined;
  /** Where worktrees are made; physical. */
  readonly root: string;
  readonly now: () => number;
  /** Told where work is that nobody has chosen to lose. */
  readonly onError: (error: CaretError) => void;
}

export interface NewComparison {
  readonly id: string;
  readonly wanted: StartComparison;
  readonly repository: string;
  /** From the top of the repository to the directory that was named; empty: the top. */
  readonly inside: string;
  /** The user whose comparison it is; undefined: that of the person whose gateway it is. */
  readonly user: string | undefined;
}

/** Of one worktree that is kept. */
const MOST_NAMED = 100;

/** As whose turns of candidates are logged. */
const CLIENT = "comparison";

/** One comparison, in this process. */
export class Comparison {
  readonly #options: ComparisonOptions;
  readonly #new: NewComparison;
  readonly #worktrees: readonly Worktree[];
  readonly #stop = new AbortController();
  readonly #watchers = new Set<() => void>();
  /** Of each candidate's files as they are listed. */
  readonly #listed = new Map<number, string>();
  readonly #running: Promise<unknown>;
  #view: ComparisonView;
  #closing: Promise<void> | undefined;
  #isPicking = false;

  constructor(options: ComparisonOptions, created: NewComparison) {
    const { id, repository, wanted } = created;
    this.#options = options;
    this.#new = created;
    this.#worktrees = wanted.models.map((_, index) => {
      const name = `compare-${id}-${index + 1}`;
      return { repository, path: `${options.root}/${name}`, branch: branchOf(name) };
    });
    this.#view = {
      id,
      prompt: wanted.prompt,
      repository,
      ...(wanted.check === undefined ? {} : { check: wanted.check }),
      createdAt: options.now(),
      state: "running",
      candidates: wanted.models.map((model, index) => ({
        id: String(index + 1),
        model,
        state: "starting",
        lastLine: "",
      })),
    };
    options.onChange?.(this.#view, created.user);
    // Before the first of them exists: whatever happens, they are found again.
    options.records.write(id, this.#worktrees);
    this.#running = this.#run();
  }

  get view(): ComparisonView {
    return this.#view;
  }

  get user(): string | undefined {
    return this.#new.user;
  }

  /** On whose behalf candidates work: that the caller may start a comparison is checked before. */
  get #caller(): Caller {
    return { tokenName: CLIENT, user: this.user };
  }

  get isAttended(): boolean {
    return this.#new.wanted.attended === true;
  }

  /** Calls back after each change; gives what ends that. */
  watch(watcher: () => void): () => void {
    const own = (): void => watcher();
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  async pick(wanted: PickCandidate): Promise<void> {
    // Removing the worktrees of those that were not picked takes a while, in which another pick would be merged too.
    if (this.#isPicking) throw new CaretError("session-busy", "A candidate of this comparison is being merged");
    this.#isPicking = true;
    try {
      await this.#pick(wanted);
    } finally {
      this.#isPicking = false;
    }
  }

  async #pick({ candidate: candidateId, message, force = false }: PickCandidate): Promise<void> {
    const index = this.#view.candidates.findIndex(({ id }) => id === candidateId);
    const worktree = this.#worktrees[index];
    if (worktree === undefined) throw new CaretError("not-found", `The comparison has no candidate ${candidateId}`);
    if (this.#view.state !== "ready" || this.#closing !== undefined) throw notReady(this.#view);
    const { git } = this.#options;
    if (!force) assertNothingLeft(candidateId, worktree, await onlyHere(git, worktree));
    const { id: preview } = await previewMerge(git, worktree);
    // After the preview: what changes later is not merged under its id.
    if (!(await this.#isAsListed(worktree, index))) {
      await this.#list(worktree, index);
      throw changedSince(candidateId);
    }
    const words = message ?? `Do what was asked: ${this.#view.prompt.split("\n", 1)[0]}`;
    const merge = await mergeWorktree(git, worktree, { preview, message: words });
    await this.#close(force ? "everything" : "what-is-listed", { candidate: candidateId, merge });
  }

  /** Cancels what runs, and removes the worktrees but for those that hold what is not expendable. */
  async drop(expendable: Expendable): Promise<void> {
    await this.#close(expendable, undefined);
  }

  async #close(expendable: Expendable, picked: ComparisonView["picked"]): Promise<void> {
    this.#closing ??= this.#removeAll(expendable);
    await this.#closing;
    if (this.#view.state === "picked" || this.#view.state === "dropped") return;
    this.#change(picked === undefined ? { state: "dropped" } : { state: "picked", picked });
  }

  async #removeAll(wanted: Expendable): Promise<void> {
    // While it runs, nobody has seen a list.
    const expendable = wanted === "what-is-listed" && this.#view.state === "running" ? "nothing" : wanted;
    const { records, sessions, onError } = this.#options;
    const caller = this.#caller;
    this.#stop.abort(new CaretError("cancelled", "The comparison was dropped"));
    await this.#running;
    const kept: KeptWorktree[] = [];
    for (const [index, worktree] of this.#worktrees.entries()) {
      const files = await this.#release(worktree, index, expendable);
      if (files.length === 0) continue;
      const { path, branch } = worktree;
      kept.push({ path, files });
      this.#note(index, {
        kept: { path, branch, files: files.slice(0, MOST_NAMED), omitted: Math.max(0, files.length - MOST_NAMED) },
      });
    }
    records.remove(this.#view.id);
    if (kept.length > 0 && expendable === "nothing") onError(keptWork(this.#view.id, kept));
    // Their logs stay, out of the way, where the directories they worked in are gone.
    for (const { sessionId, kept: isKept } of this.#view.candidates)
      if (sessionId !== undefined && isKept === undefined) await sessions.change(sessionId, { archived: true }, caller);
  }

  async #release(worktree: Worktree, index: number, expendable: Expendable): Promise<readonly string[]> {
    const isListed = expendable === "what-is-listed" && (await this.#isAsListed(worktree, index));
    return await releaseWorktree(this.#options.git, worktree, expendable, isListed ? this.#view.candidates[index] : {});
  }

  async #run(): Promise<void> {
    await Promise.all(this.#worktrees.map((worktree, index) => this.#runOne(worktree, index)));
    if (!this.#stop.signal.aborted) this.#change({ state: "ready" });
  }

  /** Never rejects: what went wrong is the candidate's outcome. */
  async #runOne(worktree: Worktree, index: number): Promise<void> {
    const note = (changed: Partial<CandidateView>): void => this.#note(index, changed);
    try {
      const { git, root } = this.#options;
      const name = worktree.path.slice(root.length + 1);
      await createWorktree(git, { repository: worktree.repository, name, root });
      note(await this.#runTurn(worktree, index, note));
      await this.#list(worktree, index);
      note({ state: "done" });
    } catch (reason) {
      const error = CaretError.from(reason).toInfo();
      note({ state: "done", outcome: { kind: "failed", error } });
    }
  }

  async #list(worktree: Worktree, index: number): Promise<void> {
    const { view, tree } = await listChanges(this.#options.git, worktree);
    this.#listed.set(index, tree);
    this.#note(index, { files: view.files, omitted: view.omitted });
  }

  /** A person may have worked on in a candidate's worktree, or something that its agent has left running. */
  async #isAsListed(worktree: Worktree, index: number): Promise<boolean> {
    const tree = this.#listed.get(index);
    if (tree === undefined) return false;
    try {
      return (await currentTree(this.#options.git, worktree)) === tree;
    } catch (reason) {
      if (CaretError.is(reason)) return false;
      throw reason;
    }
  }

  async #runTurn(worktree: Worktree, index: number, note: (changed: Partial<CandidateView>) => void) {
    const { sessions, spawner, git } = this.#options;
    const { wanted, inside } = this.#new;
    const workspace = inside === "" ? worktree.path : `${worktree.path}/${inside}`;
    const { check } = wanted;
    return await runCandidate({
      sessions,
      caller: this.#caller,
      wanted,
      model: wanted.models[index] ?? "",
      workspace,
      signal: this.#stop.signal,
      note,
      check:
        check === undefined
          ? undefined
          : (signal) => runCheck(check, { spawner, env: git.env, cwd: workspace, signal }),
    });
  }

  #note(index: number, changed: Partial<CandidateView>): void {
    const candidates = this.#view.candidates.map((candidate, place) =>
      place === index ? { ...candidate, ...changed } : candidate,
    );
    this.#change({ candidates });
  }

  #change(changed: Partial<ComparisonView>): void {
    this.#view = { ...this.#view, ...changed };
    this.#options.onChange?.(this.#view, this.user);
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/** Its worktree goes with all others once it is merged. */
function assertNothingLeft(candidate: string, { path }: Worktree, { leftBehind }: OnlyHere): void {
  if (leftBehind.length === 0) return;
  throw new CaretError(
    "invalid-request",
    `Candidate ${candidate} has files that no merge brings back: ${nameSome(leftBehind)}`,
    {
      fix: `Nothing was changed. Copy what you need from ${path}, then pick it with \`force\`: they go with its worktree.`,
    },
  );
}

function changedSince(candidate: string): CaretError {
  return new CaretError("invalid-request", `Candidate ${candidate} has changed since its files were listed`, {
    fix: "Nothing was changed. Look at its changes again; what you pick then is what they show.",
  });
}

function notReady({ id, state }: ComparisonView): CaretError {
  if (state !== "running") return new CaretError("invalid-request", `The comparison ${id} is over: it was ${state}`);
  return new CaretError("session-busy", `The comparison ${id} still runs`, {
    fix: "Wait until all its candidates are done.",
  });
}
