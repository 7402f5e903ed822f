import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { type BytePath, onDisk } from "../../git/byte-path.ts";

/** Something done to the files of a checkout, by a person or an agent. */
export type Edit = FileEdit | { readonly kind: "stage" | "force" | "commit" | "unignore" };

type FileEdit =
  | { readonly kind: "write" | "program"; readonly path: BytePath; readonly text: string }
  /** With carriage returns, or in bytes that are no UTF-8. */
  | { readonly kind: "crlf" | "latin1"; readonly path: BytePath; readonly text: string }
  | { readonly kind: "link"; readonly path: BytePath; readonly text: string }
  | { readonly kind: "remove" | "repository" | "untracked-git" | "unwatched" | "unstage"; readonly path: BytePath }
  | { readonly kind: "rename"; readonly path: BytePath; readonly to: BytePath };

/** Names that are ignored, that differ in their case or their bytes, and that are a file here and a directory there. */
const paths = [
  "a.txt", "A.txt", "b", "b/in.txt", "dir/c.txt", "dir", "dir/deep/d", "local/e", "local", ".env", "out/result.csv", "out",
  "k.key", "dir/k.key", "p.bin", "odd\xff\xfe", "new\nline", " lead and trail ", "log.log", ".gitattributes.d",
]; // biome-ignore format: a list of names

const path = fc.constantFrom(...paths);
const text = fc.nat({ max: 6 }).map((number) => `text ${number}\nof a file\n`);

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("write" as const), path, text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("program" as const), path, text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("link" as const), path, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rename" as const), path, to: path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("repository" as const, "untracked-git" as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("unwatched" as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("stage" as const, "force" as const, "unignore" as const) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("commit" as const) }) },
);

/** Who defines the filter that encrypts `*.key`. */
export type FilterScope = "none" | "local" | "worktree" | "global" | "undefined";

export interface RandomRepository {
  readonly base: readonly Edit[];
  readonly agent: readonly Edit[];
  readonly person: readonly Edit[];
  readonly scope: FilterScope;
  readonly attributes: ".gitattributes" | ".git/info/attributes";
}

export const randomRepository: fc.Arbitrary<RandomRepository> = fc.record({
  base: fc.array(fc.oneof(fc.record({ kind: fc.constant("write" as const), path, text }), edit), {
    minLength: 1,
    maxLength: 6,
  }),
  agent: fc.array(edit, { minLength: 1, maxLength: 6 }),
  person: fc.array(edit, { maxLength: 6 }),
  scope: fc.constantFrom(
    "none" as const,
    "none" as const,
    "none" as const,
    "local" as const,
    "worktree" as const,
    "global" as const,
    "undefined" as const,
  ),
  attributes: fc.constantFrom(".gitattributes" as const, ".git/info/attributes" as const),
});

/** Every letter is another one; the sign in front keeps what is encrypted from being encrypted again. */
const CRYPT = {
  clean: `sed -e 1s/^/ENC:/ -e y/abcdefghijklmnopqrstuvwxyz/nopqrstuvwxyzabcdefghijklm/`,
  smudge: `sed -e 1s/^ENC:// -e y/abcdefghijklmnopqrstuvwxyz/nopqrstuvwxyzabcdefghijklm/`,
} as const;

export class Checkouts {
  readonly home: string;

  constructor(home: string) {
    this.home = home;
  }

  get env(): Record<string, string> {
    return { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: this.home, GIT_CONFIG_NOSYSTEM: "1" };
  }

  git(cwd: string, ...args: readonly string[]): Buffer {
    const who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "advice.addEmbeddedRepo=false"];
    return execFileSync("git", ["-C", cwd, ...who, ...args], { env: this.env, stdio: "pipe" });
  }

  /** Whether Git did it: a random edit may well be one that it refuses. */
  tries(cwd: string, ...args: readonly string[]): boolean {
    try {
      this.git(cwd, ...args);
      return true;
    } catch {
      return false; // that is the answer
    }
  }

  begin(top: string, { base, scope, attributes }: RandomRepository): void {
    mkdirSync(top, { recursive: true });
    this.git(top, "init", "-q", "-b", "main");
    writeFileSync(join(top, ".gitignore"), ".env\nlocal/\nout\n*.log\n");
    if (scope !== "none") writeFileSync(join(top, attributes), "*.key filter=crypt\n");
    for (const [key, value] of Object.entries(CRYPT)) this.#define(top, scope, `filter.crypt.${key}`, value);
    this.#define(top, scope, "filter.crypt.required", "true");
    this.edit(top, base);
    this.git(top, "add", "-A", ":/");
    this.git(top, "commit", "-qm", "First", "--allow-empty");
  }

  #define(top: string, scope: FilterScope, key: string, value: string): void {
    if (scope === "none" || scope === "undefined") return;
    if (scope === "worktree") this.git(top, "config", "extensions.worktreeConfig", "true");
    this.git(top, "config", `--${scope}`, key, value);
  }

  edit(top: string, edits: readonly Edit[]): void {
    for (const each of edits) this.#apply(top, each);
  }

  #apply(top: string, edit: Edit): void {
    if (edit.kind === "stage") this.tries(top, "add", "-A", ":/");
    else if (edit.kind === "force") this.tries(top, "add", "-Af", ":/");
    else if (edit.kind === "commit") this.tries(top, "commit", "-qam", "Work");
    else if (edit.kind === "unignore") writeFileSync(join(top, ".gitignore"), "*.log\n");
    else if (edit.kind === "unwatched") this.tries(top, "update-index", "--assume-unchanged", edit.path);
    else if (edit.kind === "unstage") this.tries(top, "rm", "-rq", "--cached", edit.path);
    else if ("path" in edit) this.#change(onDisk(top, edit.path), top, edit);
  }

  #change(place: Buffer, top: string, edit: FileEdit): void {
    if (edit.kind === "rename") return this.#rename(place, top, edit);
    if (edit.kind === "remove") return void (statAt(place) && rmSync(place, { recursive: true }));
    this.#put(top, edit.path, () => {
      if (edit.kind === "link") return symlinkSync(edit.text.trim(), place);
      if ("text" in edit) {
        writeFileSync(place, bytesOf(edit.kind, edit.text));
        return chmodSync(place, edit.kind === "program" ? 0o755 : 0o644);
      }
      mkdirSync(place);
      const inside = place.toString("utf8");
      if (Buffer.from(inside).equals(place)) this.#nest(inside, edit.kind === "repository");
    });
  }

  #rename(place: Buffer, top: string, { path, to }: { readonly path: BytePath; readonly to: BytePath }): void {
    if (statAt(place)?.isFile() !== true || to === path) return;
    const content = readFileSync(place);
    rmSync(place);
    this.#put(top, to, () => writeFileSync(onDisk(top, to), content));
  }

  /** A repository, or a directory that is only called as if it were one. */
  #nest(directory: string, isWhole: boolean): void {
    writeFileSync(join(directory, "work"), "nested work\n");
    if (isWhole) {
      this.git(directory, "init", "-q", "-b", "main");
      this.tries(directory, "commit", "-q", "--allow-empty", "-m", "Nested");
    } else {
      mkdirSync(join(directory, ".git"));
      writeFileSync(join(directory, ".git", "kept"), "kept\n");
    }
  }

  /** What is in the way goes, as with a person who exchanges a file and a directory. */
  #put(top: string, path: BytePath, make: () => void): void {
    const parents = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= parents.length; depth += 1) {
      const parent = onDisk(top, parents.slice(0, depth).join("/"));
      if (lstatSync(parent, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(parent);
    }
    mkdirSync(Buffer.from(dirname(onDisk(top, path).toString("latin1")), "latin1"), { recursive: true });
    rmSync(onDisk(top, path), { recursive: true, force: true });
    make();
  }
}

function bytesOf(kind: string, text: string): Buffer {
  if (kind === "latin1") return Buffer.from(`\xe9 ${text}`, "latin1");
  return Buffer.from(kind === "crlf" ? text.replaceAll("\n", "\r\n") : text);
}

/** Undefined also where a file is in the way to it. */
function statAt(place: Buffer): Stats | undefined {
  try {
    return lstatSync(place);
  } catch {
    return undefined; // there is nothing
  }
}

/** Every file and link of a directory but those of its own `.git`: its path, and its bytes or where it leads. */
export function filesOf(top: string): ReadonlyMap<BytePath, string> {
  return new Map(namesIn(Buffer.from(top)).flatMap((name) => (name === ".git" ? [] : entriesAt(top, name))));
}

function entriesAt(top: string, path: BytePath): readonly (readonly [BytePath, string])[] {
  const place = onDisk(top, path);
  const stat = lstatSync(place);
  if (stat.isDirectory()) return namesIn(place).flatMap((name) => entriesAt(top, `${path}/${name}`));
  return [[path, stat.isSymbolicLink() ? readlinkSync(place, "latin1") : readFileSync(place, "latin1")]];
}

function namesIn(directory: Buffer): readonly string[] {
  return readdirSync(directory, { encoding: "latin1" });
}
