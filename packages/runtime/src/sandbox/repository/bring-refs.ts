import type { RepositoryState, RunIn } from "./repository-state.ts";

/** What of a repository's references a turn may change. Not what replaces objects, nor what belongs to one operation. */
const OURS = /^refs\/(?:heads|tags|notes|remotes)\//;

/** Where a reference's new place is kept that has moved outside meanwhile. */
export const KEPT = "refs/caret/kept";

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

export interface Obstacles {
  readonly id: string;
  /** Branches of other working trees: moving one would change what stands there. */
  readonly held: ReadonlySet<string>;
  /** Commits that no reference may lead to. */
  readonly barred: ReadonlySet<string>;
  readonly now: RepositoryState;
}

/**
 * Moves references outside, each only from where the turn found it: all in one transaction, or where that fails one by one.
 */
export async function bringRefs(
  outside: RunIn,
  changes: readonly RefChange[],
  { id, held, barred, now }: Obstacles,
): Promise<BroughtRefs> {
  const open = changes.filter(({ name, to }) => now.refs[name] !== to);
  const whyNot = ({ name, from, to }: RefChange): string | undefined => {
    if (held.has(name)) return "a working tree has it";
    if (to !== undefined && barred.has(to)) return "the turn's commits change what git runs here";
    return now.refs[name] === from ? undefined : "it has moved meanwhile";
  };
  const kept = open.flatMap((change) => {
    const why = whyNot(change);
    return why === undefined ? [] : [{ change, why }];
  });
  const free = open.filter((change) => whyNot(change) === undefined);
  // What is deleted goes first: `a/b` can only be made where `a` is not there any more.
  const ordered = [...free.filter(({ to }) => to === undefined), ...free.filter(({ to }) => to !== undefined)];
  for (const change of await refused(outside, ordered)) kept.push({ change, why: "git refused it" });
  return { kept: await keep(outside, kept, id) };
}

/** Moves as many as git takes: where it refuses some, those are found by halves. */
async function refused(outside: RunIn, changes: readonly RefChange[]): Promise<readonly RefChange[]> {
  if (changes.length === 0 || (await succeeds(move(outside, changes)))) return [];
  if (changes.length === 1) return changes;
  const middle = Math.ceil(changes.length / 2);
  return [...(await refused(outside, changes.slice(0, middle))), ...(await refused(outside, changes.slice(middle)))];
}

async function keep(outside: RunIn, kept: readonly { readonly change: RefChange; readonly why: string }[], id: string) {
  const named = kept.map(({ change: { name, to }, why }) => {
    const as = to === undefined ? undefined : `${KEPT}/${id}/${name.replace(/^refs\//, "")}`;
    return { name, as, why, to };
  });
  const lines = named.flatMap(({ as, to }) => (as === undefined ? [] : [`update ${as}\0${to}\0\0`]));
  if (lines.length > 0) await outside(["update-ref", "--stdin", "-z"], { input: inBytes(lines) });
  return named;
}

async function move(outside: RunIn, changes: readonly RefChange[]): Promise<void> {
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
      input: inBytes(lines),
    });
}

function inBytes(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join(""), "latin1");
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
