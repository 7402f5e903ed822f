import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type Caller, CaretError, type Comparisons, type StartComparison } from "@caret/protocol";
import { Doorbell } from "../async/doorbell.ts";
import type { Git } from "../git/run-git.ts";
import { type AllowedWorkspaces, allowedWorkspace } from "../paths/allowed-workspace.ts";
import { wayInside } from "../paths/physical-path.ts";
import { makePrivateDirectory } from "../paths/private-files.ts";
import { assertHere } from "../sessions/assert-here.ts";
import { isInScope, scopeOf } from "../sessions/session-directories.ts";
import { findRepository } from "../worktrees/create-worktree.ts";
import { Comparison, type ComparisonOptions } from "./comparison.ts";
import { openComparisonRecords } from "./comparison-records.ts";

const MAX_CANDIDATES = 8;
/** How many that are over can still be looked at. */
const MAX_KEPT = 50;
/** A client that loses its connection is back within this time. */
const LEASE_MS = 5_000;

export interface ComparisonsOptions extends Omit<ComparisonOptions, "records"> {
  readonly allowedWorkspaces: AllowedWorkspaces;
  readonly newId: () => string;
  /** How long a comparison whose client follows it waits for the client to come back. */
  readonly leaseMs?: number;
}

export interface RuntimeComparisons extends Comparisons {
  /** Removes what an earlier process of this data directory has left, but for candidates' work and comparisons that another one still has. */
  sweep(isKept?: (id: string) => Promise<boolean>): Promise<void>;
  /** Drops what is left; candidates' work stays in its worktrees. Call before closing the engine. */
  close(): Promise<void>;
}

export function createComparisons(options: ComparisonsOptions): RuntimeComparisons {
  const { git, onError, leaseMs = LEASE_MS } = options;
  const records = openComparisonRecords({ directory: join(options.root, ".comparisons"), git, onError });
  const comparisons = new Map<string, { readonly comparison: Comparison; readonly lease: Lease }>();

  const find = (id: string, caller: Caller) => {
    const found = comparisons.get(id);
    if (found !== undefined && isVisible(found.comparison, caller)) return found;
    throw new CaretError("not-found", `There is no comparison ${id} (any more)`);
  };

  return {
    async start(wanted, caller) {
      assertHere(wanted);
      const place = await findPlace(git, wanted, options.allowedWorkspaces, caller);
      const id = options.newId().slice(0, 8);
      makePrivateDirectory(options.root);
      const root = realpathSync(options.root);
      const comparison = new Comparison({ ...options, root, records }, { id, wanted, user: caller.user, ...place });
      const lease = createLease(comparison, leaseMs, onError);
      comparisons.set(id, { comparison, lease });
      forgetOld(comparisons);
      return comparison.view;
    },
    list: async (caller) =>
      [...comparisons.values()]
        .filter((one) => isVisible(one.comparison, caller))
        .map(({ comparison }) => comparison.view),
    get: async (id, caller) => find(id, caller).comparison.view,
    async *follow(id, signal, caller) {
      const { comparison, lease } = find(id, caller);
      const release = lease.hold();
      try {
        yield* views(comparison, signal);
      } finally {
        release();
      }
    },
    async pick(id, wanted, caller) {
      const { comparison, lease } = find(id, caller);
      const release = lease.hold();
      try {
        await comparison.pick(wanted);
      } finally {
        release();
      }
      return comparison.view;
    },
    async drop(id, caller, { force = false, keep = false } = {}) {
      if (force && keep) throw new CaretError("invalid-request", "force and keep: choose one of them");
      const { comparison } = find(id, caller);
      await comparison.drop(keep ? "nothing" : force ? "everything" : "what-is-listed");
      return comparison.view;
    },
    sweep: records.sweep,
    async close() {
      await Promise.all([...comparisons.values()].map(({ comparison }) => comparison.drop("nothing")));
    },
  };
}

/** Where candidates begin. A token that is bound to a directory compares in that directory alone. */
async function findPlace(
  git: Git,
  { models, workspace }: StartComparison,
  allowed: AllowedWorkspaces,
  caller: Caller,
): Promise<{ readonly repository: string; readonly inside: string }> {
  if (models.length < 2 || models.length > MAX_CANDIDATES)
    throw new CaretError("invalid-request", `models: name from 2 to ${MAX_CANDIDATES} of them`);
  const directory = allowedWorkspace(workspace, allowed);
  const bound = caller.workspace;
  if (bound !== undefined && wayInside(allowedWorkspace(bound, allowed), directory) === undefined)
    throw new CaretError("workspace-forbidden", `This token may only work in ${bound}`);
  const repository = await findRepository(git, directory);
  return { repository, inside: wayInside(repository, directory) ?? "" };
}

function isVisible({ view, user }: Comparison, caller: Caller): boolean {
  return isInScope({ workspace: view.repository, ...(user === undefined ? {} : { user }) }, scopeOf(caller));
}

async function* views(comparison: Comparison, signal: AbortSignal) {
  const bell = new Doorbell();
  const stop = comparison.watch(bell.ring);
  signal.addEventListener("abort", bell.ring, { once: true });
  try {
    while (!signal.aborted) {
      bell.clear();
      const { view } = comparison;
      yield view;
      if (view.state === "picked" || view.state === "dropped") return;
      await bell.rung();
    }
  } finally {
    stop();
    signal.removeEventListener("abort", bell.ring);
  }
}

/** Holds a comparison while anybody follows it. */
interface Lease {
  hold(): () => void;
}

function createLease(comparison: Comparison, leaseMs: number, onError: (error: CaretError) => void): Lease {
  let holders = 0;
  let timer: NodeJS.Timeout | undefined;
  const expire = (): void => {
    comparison.drop("nothing").catch((reason: unknown) => onError(CaretError.from(reason)));
  };
  const begin = (): void => {
    if (comparison.isAttended) timer = setTimeout(expire, leaseMs).unref();
  };
  begin();
  return {
    hold() {
      clearTimeout(timer);
      holders += 1;
      return () => {
        holders -= 1;
        if (holders === 0) begin();
      };
    },
  };
}

function forgetOld(comparisons: Map<string, { readonly comparison: Comparison }>): void {
  for (const [id, { comparison }] of comparisons) {
    if (comparisons.size <= MAX_KEPT) return;
    const { state } = comparison.view;
    if (state === "picked" || state === "dropped") comparisons.delete(id);
  }
}
