import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createInlineSpawner } from "../process/spawner/create-spawner.ts";
import { barSize, isFullRun } from "../testing/bar-size.ts";
import { createWorktree } from "./create-worktree.ts";
import { mergeWorktree, previewMerge } from "./merge-worktree.ts";
import { onlyHere } from "./only-here.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { Checkouts, type Edit, filesOf, type RandomRepository, randomRepository } from "./testing/random-repository.ts";
import type { Worktree } from "./worktree.ts";

const RUNS = barSize({ quick: 2, full: 60, bar: 1_000 });
const spawner = createInlineSpawner();

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-lost-")));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function begin(random: RandomRepository) {
  const home = mkdtempSync(join(directory, "home-"));
  const checkouts = new Checkouts(home);
  const repository = join(home, "project");
  checkouts.begin(repository, random);
  const git = { spawner, env: checkouts.env };
  return { checkouts, git, repository, root: join(home, "worktrees") };
}

type Begun = ReturnType<typeof begin>;

/** Undefined where it is refused. */
async function attempt<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (reason) {
    if (CaretError.is(reason)) return undefined;
    throw reason;
  }
}

/** Every object that can be read, as `cat-file` says what and how long it is, with its content. */
function contents(checkouts: Checkouts, repository: string, wanted: readonly string[]): readonly string[] {
  const printed = checkouts.git(repository, "cat-file", "--batch", ...wanted).toString("latin1");
  const found: string[] = [];
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf("\n", at);
    const [, kind, size = "0"] = printed.slice(at, end).split(" ");
    if (kind === "blob") found.push(printed.slice(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return found;
}

/** The contents of all files in commits, as they are kept and as a checkout has them. What nothing refers to is pruned before. */
function committed({ checkouts, repository }: Begun): ReadonlySet<string> {
  const bare = join(checkouts.home, "kept.git");
  checkouts.git(checkouts.home, "clone", "-q", "--bare", "--no-local", repository, bare);
  checkouts.git(repository, "push", "-q", bare, "+HEAD:refs/heads/checked-out");
  const kept = contents(checkouts, bare, ["--batch-all-objects"]);
  rmSync(bare, { recursive: true });
  return new Set(kept.flatMap((text) => [text, smudged(text)]));
}

/** As the simulated filter gives it back. */
function smudged(text: string): string {
  const turned = text.replaceAll(/[a-z]/g, (letter) =>
    String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97),
  );
  return text.startsWith("ENC:") ? turned.slice("RAP:".length) : text;
}

const objects = ({ checkouts, repository }: Begun): string =>
  checkouts.git(repository, "cat-file", "--batch-all-objects", "--batch-check").toString();

/** Contents, in any object of the repository, that only a file which is to be encrypted had, in plain text. */
const plainObjects = ({ checkouts, repository }: Begun): readonly string[] =>
  contents(checkouts, repository, ["--batch-all-objects"]).filter((text) => /SECRET .*text/.test(text));

/** Files whose content is neither where it was nor in a commit. */
function lost(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>, kept: ReadonlySet<string>) {
  return [...before]
    .filter(([path, content]) => after.get(path) !== content && !kept.has(content))
    .map(([path]) => path);
}

/** Each text once: what stands in two places would not be missed in one of them. */
function marked(random: RandomRepository): RandomRepository {
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  const mark = (edit: Edit): Edit => {
    // Under another name it is no longer to be encrypted.
    if (edit.kind === "rename" && edit.path.endsWith(".key")) return { ...edit, to: "dir/other.key" };
    if (!("text" in edit)) return edit;
    const isSecret = edit.path.endsWith(".key") && edit.kind !== "link";
    return { ...edit, text: `${isSecret ? "SECRET " : ""}${edit.text.trim()} ${numbers.shift()}\n` };
  };
  return { ...random, base: random.base.map(mark), agent: random.agent.map(mark), person: random.person.map(mark) };
}

const generated = randomRepository.map(marked);

async function withWorktree(random: RandomRepository, use: (begun: Begun, worktree: Worktree) => Promise<void>) {
  const begun = begin(random);
  const before = [filesOf(begun.repository), objects(begun)];
  const worktree = await attempt(createWorktree(begun.git, { ...begun, name: "ada" }));
  if (worktree === undefined) expect([filesOf(begun.repository), objects(begun)]).toEqual(before);
  else {
    begun.checkouts.edit(worktree.path, random.agent);
    begun.checkouts.edit(begun.repository, random.person);
    await use(begun, worktree);
  }
  rmSync(begun.checkouts.home, { recursive: true, force: true });
}

it("loses nothing that is in no commit, and writes nothing in plain text, when the work of a worktree is merged", async () => {
  let merged = 0;
  await fc.assert(
    fc.asyncProperty(generated, (random) =>
      withWorktree(random, async (begun, worktree) => {
        const { git, repository, checkouts } = begun;
        const secrets = plainObjects(begun);
        const [files, stored, theirs, kept] = [
          filesOf(repository),
          objects(begun),
          filesOf(worktree.path),
          committed(begun),
        ];
        const staged = () => checkouts.git(repository, "ls-files", "--stage", "-z").toString("latin1");
        const index = staged();
        const preview = await attempt(previewMerge(git, worktree));
        const result =
          preview && (await attempt(mergeWorktree(git, worktree, { preview: preview.id, message: "Work" })));
        if (preview === undefined || preview.inTheWay.length + preview.conflicts.length > 0)
          expect([objects(begun), result]).toEqual([stored, undefined]);
        if (result === undefined) expect([filesOf(repository), staged()]).toEqual([files, index]);
        else merged += 1;
        expect(lost(files, filesOf(repository), kept)).toEqual([]);
        expect(filesOf(worktree.path)).toEqual(theirs);
        if (random.scope !== "none") expect(plainObjects(begun)).toEqual(secrets);
      }),
    ),
    { numRuns: RUNS },
  );
  // So few runs may all be refused.
  if (isFullRun()) expect(merged).toBeGreaterThan(RUNS / 10);
}, 3_600_000);

it("names everything that goes with a worktree and is nowhere else, and removes nothing of the checkout", async () => {
  let clean = 0;
  await fc.assert(
    fc.asyncProperty(generated, fc.boolean(), (random, isMergedBefore) =>
      withWorktree(random, async (begun, worktree) => {
        const { git, repository } = begun;
        const preview = isMergedBefore ? await attempt(previewMerge(git, worktree)) : undefined;
        if (preview !== undefined)
          await attempt(mergeWorktree(git, worktree, { preview: preview.id, message: "Work" }));
        const stored = objects(begun);
        const files = filesOf(repository);
        const theirs = filesOf(worktree.path);
        const asked = await attempt(onlyHere(git, worktree));
        expect(objects(begun)).toEqual(stored);
        await removeWorktree(git, worktree);
        expect([filesOf(repository), existsSync(worktree.path)]).toEqual([files, false]);
        if (asked === undefined) return;
        const names = [...asked.unmerged, ...asked.leftBehind];
        if (names.length === 0) clean += 1;
        const isNamed = (path: string): boolean => {
          const shown = Buffer.from(path, "latin1").toString("utf8");
          return names.some(
            (name) =>
              name === shown ||
              name === `${shown} (staged)` ||
              (shown.startsWith(name.replace(/\/( \(.*)?$/, "/")) && /\/( \(|$)/.test(name)),
          );
        };
        expect(lost(theirs, new Map(), committed(begun)).filter((path) => !isNamed(path))).toEqual([]);
      }),
    ),
    { numRuns: RUNS },
  );
  // So few runs may not have met one.
  if (isFullRun()) expect(clean).toBeGreaterThan(0);
}, 3_600_000);
