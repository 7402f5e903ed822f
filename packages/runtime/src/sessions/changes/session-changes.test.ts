import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ChangesView, splitHunks } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anyone, createSessionBench, type SessionBench } from "../testing/session-bench.ts";

let bench: SessionBench;
let sessionId: string;
let objects: string;
beforeEach(() => {
  bench = createSessionBench();
});
afterEach(() => bench.close());

const file = (name: string): string => join(bench.workspace, name);
const text = (name: string): string => readFileSync(file(name), "utf8");
const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");
const git = (...args: readonly string[]): string => {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: bench.directory };
  return execFileSync("git", ["-C", bench.workspace, ...args], { env, encoding: "utf8", stdio: "pipe" }).trim();
};

/** A repository with a commit, an uncommitted change of the user's, and a session that begins in it. */
async function begin(files: Readonly<Record<string, string>>, dirty: Readonly<Record<string, string>> = {}) {
  git("init", "-q", "-b", "main");
  git("config", "user.name", "T");
  git("config", "user.email", "t@example.invalid");
  for (const [name, content] of Object.entries(files)) writeFileSync(file(name), content);
  git("add", "-A");
  git("commit", "-qm", "First");
  for (const [name, content] of Object.entries(dirty)) writeFileSync(file(name), content);
  objects = git("count-objects");
  sessionId = (await bench.sessions.create({ workspace: bench.workspace }, anyone)).id;
  await expect.poll(async () => (await changes()).since).toBe("session");
}

const changes = (): Promise<ChangesView> => bench.sessions.sessionChanges(sessionId, anyone);
const hunkOf = ({ files }: ChangesView, path: string, index = 0): string =>
  splitHunks(files.find((each) => each.path === path)?.unified ?? "")[index] ?? "";
const discard = (path: string, hunk: string): Promise<void> =>
  bench.sessions.discardHunk(sessionId, { path, hunk }, anyone);

describe("the changes of a session", () => {
  it("leave out what had changed before the session began, and keep what was committed since", async () => {
    await begin({ "a.txt": "1\n", "b.txt": "1\n" }, { "a.txt": "mine\n", "untracked.txt": "mine\n" });
    // Taking the baseline and looking at the changes leaves nothing in the user's repository.
    expect(git("count-objects")).toBe(objects);
    expect((await changes()).files).toEqual([]);
    writeFileSync(file("b.txt"), "2\n");
    writeFileSync(file("new.txt"), "new\n");
    git("add", "b.txt");
    git("commit", "-qm", "Second");
    const { files, ...rest } = await changes();
    expect(rest).toMatchObject({ isRepository: true, since: "session", branch: "main", omitted: 0 });
    expect(files.map(({ path, status }) => [path, status])).toEqual([
      ["b.txt", "modified"],
      ["new.txt", "added"],
    ]);
    expect(git("status", "--short")).toBe("M a.txt\n?? new.txt\n?? untracked.txt");
  });

  it("show where a submodule stands, and run nothing that it names, nor does a commit of it", async () => {
    const trace = join(bench.directory, "was-run");
    await begin({ "a.txt": "1\n" });
    const inside = (...args: readonly string[]): string =>
      git("-C", "sub", "-c", "user.name=T", "-c", "user.email=t@e.invalid", ...args);
    git("init", "-q", "sub");
    writeFileSync(file("sub/x"), "x\n");
    inside("add", "x");
    inside("commit", "-qm", "One");
    git("-c", "advice.addEmbeddedRepo=false", "add", "sub");
    git("commit", "-qm", "Second");
    writeFileSync(file("sub/.git/info/attributes"), "* filter=evil\n");
    inside("config", "filter.evil.clean", `echo ran >> ${trace}; cat`);
    // As long as before: git has to read it to know whether it has changed.
    utimesSync(file("sub/x"), 1, 1);
    writeFileSync(file("a.txt"), "2\n");
    const { files } = await changes();
    await bench.sessions.commitChanges(sessionId, { message: "Third", paths: ["."] }, anyone);
    expect([files.map(({ path, status }) => [path, status]), existsSync(trace)]).toEqual([
      [
        ["a.txt", "modified"],
        ["sub", "added"],
      ],
      false,
    ]);
    inside("commit", "-q", "--allow-empty", "-m", "Two");
    await bench.sessions.commitChanges(sessionId, { message: "Fourth", paths: ["sub"] }, anyone);
    expect(git("ls-tree", "HEAD", "sub")).toBe(`160000 commit ${inside("rev-parse", "HEAD")}\tsub`);
  });

  it("lose exactly the hunk that is discarded", async () => {
    await begin({ "a.txt": numbers(1, 40) });
    writeFileSync(file("a.txt"), `one\n${numbers(2, 39)}forty`);
    const view = await changes();
    await discard("a.txt", hunkOf(view, "a.txt", 1));
    expect(text("a.txt")).toBe(`one\n${numbers(2, 40)}`);
    await discard("a.txt", hunkOf(view, "a.txt", 0));
    expect([text("a.txt"), (await changes()).files]).toEqual([numbers(1, 40), []]);
  });

  it("lose a file that was made, and get back one that was deleted", async () => {
    await begin({ "gone.txt": "here\n" });
    rmSync(file("gone.txt"));
    writeFileSync(file("made.txt"), "made\n");
    const view = await changes();
    await discard("made.txt", hunkOf(view, "made.txt"));
    await discard("gone.txt", hunkOf(view, "gone.txt"));
    expect([existsSync(file("made.txt")), text("gone.txt")]).toEqual([false, "here\n"]);
  });

  it("are left alone when the file has changed since they were shown", async () => {
    await begin({ "a.txt": numbers(1, 9) });
    writeFileSync(file("a.txt"), numbers(1, 9).replace("5", "five"));
    const hunk = hunkOf(await changes(), "a.txt");
    writeFileSync(file("a.txt"), numbers(1, 9).replace("5", "FIVE"));
    await expect(discard("a.txt", hunk)).rejects.toMatchObject({ code: "invalid-request" });
    await expect(discard("../a.txt", hunk)).rejects.toMatchObject({ code: "invalid-request" });
    expect(text("a.txt")).toBe(numbers(1, 9).replace("5", "FIVE"));
  });

  it("are committed by name on a new branch, without hooks and without the user's other changes", async () => {
    await begin({ "a.txt": "1\n", "b.txt": "1\n" }, { "b.txt": "mine\n" });
    writeFileSync(file("a.txt"), "2\n");
    writeFileSync(file("-n ew.txt"), "new\n");
    writeFileSync(file(".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const wanted = { message: "Second\n\nWhy.", paths: ["a.txt", "-n ew.txt"], branch: "work" };
    const { commit, branch } = await bench.sessions.commitChanges(sessionId, wanted, anyone);
    expect([branch, commit]).toEqual(["work", git("rev-parse", "work")]);
    expect(git("log", "-1", "--format=%B")).toBe("Second\n\nWhy.");
    expect(git("show", "--name-only", "--format=").split("\n")).toEqual(["-n ew.txt", "a.txt"]);
    expect(git("status", "--short")).toBe("M b.txt");
  });

  it("are not committed where the repository's own filters decide what a commit holds", async () => {
    await begin({ "a.txt": "1\n" });
    git("config", "filter.evil.clean", "false");
    writeFileSync(file("a.txt"), "2\n");
    const committing = bench.sessions.commitChanges(sessionId, { message: "x", paths: ["a.txt"] }, anyone);
    await expect(committing).rejects.toMatchObject({ code: "unsupported" });
  });

  it("lead to the page where the host proposes a pull request, without the secret of the address", async () => {
    await begin({ "a.txt": "1\n" });
    git("remote", "add", "origin", "https://me:secret@github.example/team/tool.git");
    expect((await changes()).compare).toEqual({
      url: "https://github.example/team/tool/compare/main?expand=1",
      push: "git push --set-upstream origin main",
    });
  });
});

describe("a session in a worktree of its own", () => {
  it("changes nothing in the user's checkout, and goes with its session unless it holds work", async () => {
    await begin({ "a.txt": "1\n" }, { "a.txt": "mine\n" });
    const wanted = { workspace: bench.workspace, worktree: true };
    const [idle, busy] = [await bench.sessions.create(wanted, anyone), await bench.sessions.create(wanted, anyone)];
    expect(new Set([idle.workspace, busy.workspace, bench.workspace]).size).toBe(3);
    expect(readFileSync(join(busy.workspace, "a.txt"), "utf8")).toBe("1\n");
    writeFileSync(join(busy.workspace, "a.txt"), "2\n");
    sessionId = busy.id;
    await expect.poll(async () => (await changes()).files.map(({ path }) => path)).toEqual(["a.txt"]);
    const { branch } = await bench.sessions.commitChanges(busy.id, { message: "Second", paths: ["a.txt"] }, anyone);
    expect([git("show", `${branch}:a.txt`), text("a.txt")]).toEqual(["2", "mine\n"]);
    for (const { id } of [idle, busy]) await bench.sessions.delete(id, anyone);
    expect([existsSync(idle.workspace), existsSync(busy.workspace)]).toEqual([false, true]);
  });

  it("is refused to a token that is bound to a workspace, and where there is no repository", async () => {
    const outside = bench.sessions.create({ workspace: bench.workspace, worktree: true }, anyone);
    await expect(outside).rejects.toMatchObject({ code: "invalid-request" });
    const bound = { ...anyone, workspace: bench.workspace };
    const asked = bench.sessions.create({ workspace: bench.workspace, worktree: true }, bound);
    await expect(asked).rejects.toMatchObject({ code: "workspace-forbidden" });
  });
});
