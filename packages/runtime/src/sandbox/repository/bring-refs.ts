import type { RepositoryState, RunIn } from "./repository-state.ts";

/** What of a repository's references a turn may change. Not what replaces objects, nor what belongs to one operation. */
const OURS = /^refs\/(?:heads|tags|notes|remotes)\//;

/** Where a reference's new place is kept that has moved outside meanwhile. */
const KEPT = "refs/caret/kept";

export interface RefChange {
  readonly name: string;
  /** Undefined: there is none. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export function changedRefs(before: RepositoryState, after: RepositoryState): readonly RefChange[] {
  const names = new Set([...Object.keys(before.refs), ...Object.keys(after.refs)]);
  return [...names]
    .map((name) => ({ name, from: before.refs[name], to: after.refs[name] }))
    .filter(({ name, from, to }) => OURS.test(name) && from !== to && !isSymbolic(from) && !isSymbolic(to));
}

/** A reference that leads to another one is the user's own arrangement. */
function isSymbolic(target: string | undefined): boolean {
  return target?.startsWith("ref: ") === true;
}

export interface BroughtRefs {
  /** Those that could not be moved, and where their new place is kept. */
  readonly kept: readonly { readonly name: string; readonly as: string | undefined; readonly why: string }[];
}

/**
 * Moves references outside, each only from where the turn found it: all in one transaction, or where that fails one by one.
 * `held` are branches of other working trees: moving one would change what stands there.
 */
export async function bringRefs(
  outside: RunIn,
  changes: readonly RefChange[],
  { id, held, now }: { readonly id: string; readonly held: ReadonlySet<string>; readonly now: RepositoryState },
): Promise<BroughtRefs> {
  const open = changes.filter(({ name, to }) => now.refs[name] !== to);
  const free = open.filter(({ name, from }) => now.refs[name] === from && !held.has(name));
  const kept = new Map(
    open
      .filter((change) => !free.includes(change))
      .map((change) => [change, held.has(change.name) ? "another working tree has it" : "it has moved meanwhile"]),
  );
  if (free.length > 0 && !(await succeeds(move(outside, free))))
    for (const change of free) if (!(await succeeds(move(outside, [change])))) kept.set(change, "git refused it");
  return {
    kept: await Promise.all([...kept].map(async ([change, why]) => ({ ...(await keep(outside, change, id)), why }))),
  };
}

async function keep(outside: RunIn, { name, to }: RefChange, id: string) {
  if (to === undefined) return { name, as: undefined };
  const as = `${KEPT}/${id}/${name.replace(/^refs\//, "")}`;
  await outside(["update-ref", as, to]);
  return { name, as };
}

async function move(outside: RunIn, changes: readonly RefChange[]): Promise<void> {
  // What is deleted goes first: `a/b` can only be made where `a` is not there any more.
  const removed = changes.filter(({ to }) => to === undefined);
  if (removed.length > 0)
    await update(
      outside,
      removed.map(({ name, from = "" }) => `delete ${name}\0${from}\0`),
    );
  await update(
    outside,
    changes.flatMap(({ name, from, to }) => (to === undefined ? [] : [`update ${name}\0${to}\0${from ?? zero(to)}\0`])),
  );
}

async function update(outside: RunIn, lines: readonly string[]): Promise<void> {
  if (lines.length > 0)
    await outside(["update-ref", "--stdin", "-z", "--create-reflog", "-m", "caret: a sandboxed turn"], {
      input: lines.join(""),
    });
}

/** Names no object: there must be no such reference yet. */
function zero(like: string): string {
  return "0".repeat(like.length);
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch {
    return false; // moved, or locked, or in the way of another: the caller then keeps it
  }
}
