import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isKeptByGit } from "./kept-by-git.ts";

let root: string;
const place = (name: string): string => join(root, name);
const git = (...args: readonly string[]): void =>
  void execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { stdio: "ignore" });

function write(name: string, content: string): void {
  mkdirSync(dirname(place(name)), { recursive: true });
  writeFileSync(place(name), content);
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "kept-")));
  git("init", "-q");
  for (let number = 0; number < 40; number += 1) write(`src/deep/file-${number}.ts`, `content ${number}`);
  write("src/größe.ts", "1");
  write("a.txt", "a");
  symlinkSync("a.txt", place("link"));
  git("add", "-A");
  git("commit", "-qm", "first");
});
afterEach(() => rmSync(root, { recursive: true }));

describe("whether git can give a file back", () => {
  it.each(["2", "3", "4"])("is read from an index of version %s", (version) => {
    write("later.txt", "later");
    git("add", "-N", "later.txt");
    git("update-index", "--index-version", version);
    write("untracked.txt", "u");
    write("src/deep/file-7.ts", "changed");
    const names = ["a.txt", "link", "src/größe.ts", "src/deep/file-0.ts", "src/deep/file-39.ts"];
    const lost = ["untracked.txt", "later.txt", "src/deep/file-7.ts", "missing.txt"];
    expect({
      kept: names.filter((name) => isKeptByGit(place(name))),
      lost: lost.filter((name) => isKeptByGit(place(name))),
    }).toEqual({
      kept: names,
      lost: [],
    });
  });

  it("is yes for what was added, whether it was committed or not", () => {
    write("new.txt", "n");
    git("add", "new.txt");
    expect(isKeptByGit(place("new.txt"))).toBe(true);
  });

  it("is yes in a worktree, whose .git is a file", () => {
    git("worktree", "add", "-q", "tree");
    write("tree/b.txt", "b");
    expect({ isAKept: isKeptByGit(place("tree/a.txt")), isBKept: isKeptByGit(place("tree/b.txt")) }).toEqual({
      isAKept: true,
      isBKept: false,
    });
  });

  it("is no without a repository, and with a damaged or foreign index", () => {
    const found = [isKeptByGit(join(tmpdir(), "nowhere", "a.txt"))];
    writeFileSync(place(".git/index"), "DIRC and nonsense that is longer than a checksum");
    found.push(isKeptByGit(place("a.txt")));
    rmSync(place(".git"), { recursive: true });
    git("init", "-q", "--object-format=sha256");
    git("add", "-A");
    found.push(isKeptByGit(place("a.txt")));
    expect(found).toEqual([false, false, false]);
  });
});
