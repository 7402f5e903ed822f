import { appendFileSync, lstatSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError, splitHunks } from "@caret/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type BytePath, onDisk } from "../../git/byte-path.ts";
import type { Git } from "../../git/run-git.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { barSize, isFullRun } from "../../testing/bar-size.ts";
import {
  Checkouts,
  type Edit,
  filesOf,
  type RandomRepository,
  randomRepository,
} from "../../worktrees/testing/random-repository.ts";
import { type Baseline, createBaselines } from "./baselines.ts";
import { commitChanges } from "./commit-changes.ts";
import { discardChange } from "./discard-change.ts";
import { sessionChanges } from "./session-changes.ts";

const RUNS = barSize({ quick: 2, full: 60, bar: 600 });
/** Of the hunks of one repository. */
const MOST_DISCARDED = 6;
const spawner = createInlineSpawner();

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-changes-")));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Twenty lines, some of them changed: enough for several hunks. The last one may have no end. */
const long = fc.tuple(fc.uniqueArray(fc.nat({ max: 19 }), { maxLength: 3 }), fc.boolean()).map(([changed, isWhole]) => {
  const lines = Array.from({ length: 20 }, (_, at) => (changed.includes(at) ? `other ${at}` : `line ${at}`));
  return lines.join("\n") + (isWhole ? "\n" : "");
});
const path = fc.constantFrom("a.txt", "dir/c.txt", "b/in.txt", "k.key");
const more: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("write" as const, "write" as const, "crlf" as const, "latin1" as const),
    path,
    text: long,
  }),
  fc.record({ kind: fc.constant("unstage" as const), path }),
  fc.record({ kind: fc.constant("unwatched" as const), path }),
  fc.record({
    kind: fc.constant("link" as const),
    path: fc.constantFrom("dir", "b"),
    text: fc.constantFrom("b", "dir", "other"),
  }),
  fc.record({ kind: fc.constant("write" as const), path: fc.constantFrom("other/c.txt", "other/in.txt"), text: long }),
);

interface Changed extends RandomRepository {
  readonly hasBaseline: boolean;
  readonly lineEnds: string;
}

const generated: fc.Arbitrary<Changed> = fc
  .record({
    random: randomRepository,
    base: fc.array(more, { minLength: 1, maxLength: 3 }),
    agent: fc.array(more, { minLength: 1, maxLength: 5 }),
    hasBaseline: fc.boolean(),
    lineEnds: fc.constantFrom("", "", "*.txt text eol=crlf\n", "*.txt text=auto\n"),
  })
  .map(({ random, base, agent, ...rest }) => ({
    ...random,
    ...rest,
    base: [...random.base, ...base],
    agent: [...agent, ...random.agent],
  }));

interface Begun {
  readonly checkouts: Checkouts;
  readonly git: Git;
  readonly workspace: string;
  readonly baseline: Baseline | undefined;
  readonly home: string;
}

async function begin(changed: Changed): Promise<Begun> {
  const home = mkdtempSync(join(directory, "home-"));
  const checkouts = new Checkouts(home);
  const workspace = join(home, "project");
  checkouts.begin(workspace, changed);
  appendFileSync(join(workspace, ".git/info/attributes"), changed.lineEnds);
  checkouts.git(workspace, "config", "user.name", "T");
  checkouts.git(workspace, "config", "user.email", "t@example.invalid");
  const git = { spawner, env: checkouts.env };
  const baseline = changed.hasBaseline ? await takeBaseline(git, home, workspace) : undefined;
  checkouts.edit(workspace, changed.agent);
  return { checkouts, git, workspace, baseline, home };
}

async function takeBaseline(git: Git, home: string, workspace: string): Promise<Baseline | undefined> {
  const baselines = createBaselines({ git, directoryOf: () => join(home, "session"), now: () => 0 });
  baselines.begin("one", workspace);
  await baselines.close();
  return baselines.find("one");
}

/** What stopped it; undefined: nothing. */
async function refusal(work: Promise<unknown>): Promise<CaretError | undefined> {
  try {
    await work;
    return undefined;
  } catch (reason) {
    if (CaretError.is(reason)) return reason;
    throw reason;
  }
}

/** Each file with its mode. */
function standing(top: string): ReadonlyMap<BytePath, string> {
  return new Map([...filesOf(top)].map(([name, text]) => [name, `${lstatSync(onDisk(top, name)).mode}\n${text}`]));
}

const ask = ({ checkouts, workspace }: Begun, ...args: readonly string[]): string =>
  checkouts.git(workspace, ...args).toString("latin1");
const recorded = (begun: Begun): readonly string[] => [
  ask(begun, "ls-files", "--stage", "-z"),
  ask(begun, "for-each-ref"),
  ask(begun, "symbolic-ref", "HEAD"),
];

function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

/** How often each line is there. What ends it is Git's to change. */
function counted(text: string, sign: 1 | -1, into: Map<string, number>): void {
  for (const each of text.split("\n")) {
    const line = each.replace(/\r$/, "");
    if (line !== "") into.set(line, (into.get(line) ?? 0) + sign);
  }
}

/** The lines that are too many or too few when a hunk is said to be taken out of a file. */
function astray(before: string | undefined, after: string | undefined, hunk: string): readonly string[] {
  const lines = new Map<string, number>();
  // A whole file that is shown may have bytes that are no text; one that keeps some of its lines keeps their bytes.
  const isPart = before !== undefined && after !== undefined;
  const read = (text: string): string => (isPart ? text : Buffer.from(text, "latin1").toString("utf8"));
  counted(read(before ?? ""), 1, lines);
  counted(read(after ?? ""), -1, lines);
  const body = (isPart ? Buffer.from(hunk).toString("latin1") : hunk).split("\n").slice(1);
  const side = (sign: string): string =>
    body
      .filter((each) => each.startsWith(sign))
      .map((each) => each.slice(1))
      .join("\n");
  counted(side("+"), -1, lines);
  counted(side("-"), 1, lines);
  return [...lines].filter(([, count]) => count !== 0).map(([line]) => line);
}

it("takes exactly the lines of a hunk out of exactly its file when it is discarded, and else changes nothing", async () => {
  let discarded = 0;
  await fc.assert(
    fc.asyncProperty(generated, fc.infiniteStream(fc.nat()), async (changed, choices) => {
      const begun = await begin(changed);
      const { git, workspace, baseline } = begun;
      for (let count = 0; count < MOST_DISCARDED; count += 1) {
        const { files } = await sessionChanges(git, workspace, baseline);
        const all = files.flatMap((file) => splitHunks(file.unified ?? "").map((hunk) => ({ path: file.path, hunk })));
        const wanted = all[(choices.next().value ?? 0) % all.length];
        if (wanted === undefined) break;
        const [before, stood, index] = [filesOf(workspace), standing(workspace), recorded(begun)];
        const refused = await refusal(discardChange(git, workspace, baseline, wanted));
        expect(recorded(begun)).toEqual(index);
        const name = Buffer.from(wanted.path).toString("latin1");
        const after = filesOf(workspace);
        expect(differing(stood, standing(workspace)).filter((each) => refused !== undefined || each !== name)).toEqual(
          [],
        );
        if (refused !== undefined) continue;
        discarded += 1;
        expect(astray(before.get(name), after.get(name), wanted.hunk)).toEqual([]);
      }
      rmSync(begun.home, { recursive: true, force: true });
    }),
    { numRuns: RUNS },
  );
  // So few runs may all be refused.
  if (isFullRun()) expect(discarded).toBeGreaterThan(RUNS / 2);
}, 3_600_000);

/** The tree of a commit, as it is listed; of none, nothing. */
function treeOf({ checkouts, workspace }: Begun, commit: string): ReadonlyMap<BytePath, string> {
  const text = checkouts.git(workspace, "ls-tree", "-rz", "--full-tree", commit).toString("latin1");
  return new Map(
    text
      .split("\0")
      .filter(Boolean)
      .map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))]),
  );
}

function indexOf(begun: Begun): ReadonlyMap<BytePath, string> {
  const lines = ask(begun, "ls-files", "--stage", "-z").split("\0").filter(Boolean);
  return new Map(lines.map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))]));
}

const secrets = ({ checkouts, workspace }: Begun): readonly string[] =>
  checkouts
    .git(workspace, "cat-file", "--batch-all-objects", "--batch-check")
    .toString()
    .split("\n")
    .filter((line) => line.includes(" blob "))
    .map((line) => checkouts.git(workspace, "cat-file", "blob", line.slice(0, line.indexOf(" "))).toString("latin1"))
    .filter((text) => text.startsWith("SECRET"));

/** What is to be encrypted says so, and is nowhere else. */
function marked(changed: Changed): Changed {
  const mark = (edit: Edit): Edit => {
    if (edit.kind === "rename" && edit.path.endsWith(".key")) return { ...edit, to: "dir/other.key" };
    if (!("text" in edit) || !edit.path.endsWith(".key") || edit.kind === "link" || edit.kind === "latin1") return edit;
    return { ...edit, text: `SECRET ${edit.text}` };
  };
  return { ...changed, base: changed.base.map(mark), agent: changed.agent.map(mark) };
}

interface Before {
  readonly parent: ReadonlyMap<BytePath, string>;
  readonly index: ReadonlyMap<BytePath, string>;
}

/** The commit differs from the last one in these files alone, and so does the index, which has them as the commit has. */
function expectOnly(begun: Begun, paths: readonly string[], { parent, index }: Before): void {
  const names = paths.map((each) => Buffer.from(each).toString("latin1"));
  const isNamed = (name: string): boolean => names.some((each) => name === each || name.startsWith(`${each}/`));
  const tree = treeOf(begun, "HEAD");
  // What a file or a directory takes the place of goes with it.
  const isReplaced = (name: string): boolean => names.some((each) => each.startsWith(`${name}/`));
  expect(differing(parent, tree).filter((name) => !isNamed(name) && !isReplaced(name))).toEqual([]);
  const now = indexOf(begun);
  expect(differing(index, now).filter((name) => !isNamed(name) && !isReplaced(name))).toEqual([]);
  for (const name of new Set([...tree.keys(), ...now.keys()].filter(isNamed))) {
    const [mode, , object] = (tree.get(name) ?? "").split(" ");
    expect([name, now.get(name)]).toEqual([name, tree.has(name) ? `${mode} ${object} 0` : undefined]);
  }
}

it("commits the files that are named as they are, and nothing else, and leaves every file as it was", async () => {
  let committed = 0;
  const wanted = fc.record({ numbers: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), isBranch: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(generated.map(marked), wanted, async (changed, { numbers, isBranch }) => {
      const begun = await begin(changed);
      const { git, workspace, baseline } = begun;
      const { files } = await sessionChanges(git, workspace, baseline);
      // A client may name others than those that are listed.
      const listed = [...files.map((file) => file.path), "a.txt", "b", "dir", ".env"];
      const paths = [...new Set(numbers.flatMap((number) => listed[number % listed.length] ?? []))];
      const [stood, before, index, plain] = [standing(workspace), recorded(begun), indexOf(begun), secrets(begun)];
      const parent = treeOf(begun, "HEAD");
      const refused = await refusal(
        commitChanges(git, workspace, { paths, message: "Work", ...(isBranch ? { branch: "work" } : {}) }),
      );
      expect(differing(stood, standing(workspace))).toEqual([]);
      if (changed.scope !== "none") expect(secrets(begun)).toEqual(plain);
      if (refused === undefined) {
        committed += 1;
        expectOnly(begun, paths, { parent, index });
      } else expect(recorded(begun)).toEqual(before);
      rmSync(begun.home, { recursive: true, force: true });
    }),
    { numRuns: RUNS },
  );
  // So few runs may all be refused.
  if (isFullRun()) expect(committed).toBeGreaterThan(RUNS / 10);
}, 3_600_000);
