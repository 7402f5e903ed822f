import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CaretError, type ChangesView, splitHunks } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isFullRun } from "../../testing/bar-size.ts";
import { anyone, createSessionBench, type SessionBench } from "../testing/session-bench.ts";

let bench: SessionBench;
let sessionId: string;
beforeEach(() => {
  bench = createSessionBench();
});
afterEach(() => bench.close());

const file = (name: string): string => join(bench.workspace, name);
const text = (name: string): string => readFileSync(file(name), "utf8");
const gitIn = (directory: string, ...args: readonly string[]): string => {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: bench.directory };
  return execFileSync("git", ["-C", directory, ...args], { env, encoding: "utf8", stdio: "pipe" }).trim();
};
const git = (...args: readonly string[]): string => gitIn(bench.workspace, ...args);

function repository(files: Readonly<Record<string, string>>): void {
  git("init", "-q", "-b", "main");
  git("config", "user.name", "T");
  git("config", "user.email", "t@example.invalid");
  for (const [name, content] of Object.entries(files)) writeFileSync(file(name), content);
  git("add", "-A");
  git("commit", "-qm", "First");
}

async function begin(workspace = bench.workspace): Promise<void> {
  sessionId = (await bench.sessions.create({ workspace }, anyone)).id;
  await expect.poll(async () => (await changes()).since).toBe("session");
}

const changes = (): Promise<ChangesView> => bench.sessions.sessionChanges(sessionId, anyone);
const commit = (wanted: { readonly paths: readonly string[]; readonly branch?: string }) =>
  bench.sessions.commitChanges(sessionId, { message: "Second", ...wanted }, anyone);
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "not refused",
    (reason: unknown) => CaretError.from(reason).message,
  );
const stand = (): readonly string[] => [git("branch", "--format=%(HEAD)%(refname:short)"), git("status", "--short")];

describe("a commit", () => {
  it("takes no file outside the workspace, however it is named", async () => {
    mkdirSync(file("sub"));
    repository({ "top.txt": "1\n", "sub/in.txt": "1\n" });
    await begin(file("sub"));
    for (const name of ["top.txt", "sub/in.txt"]) writeFileSync(file(name), "2\n");
    const names = ["../top.txt", file("top.txt"), "in.txt/../../top.txt"];
    const refused = await Promise.all(names.map((path) => refusal(commit({ paths: ["in.txt", path] }))));
    expect(refused).toEqual(names.map((name) => `${JSON.stringify(name)} is not in the session's workspace`));
    expect(await refusal(commit({ paths: [":(top)top.txt"] }))).toContain("git add failed");
    await commit({ paths: ["in.txt"] });
    expect([git("show", "--name-only", "--format="), git("status", "--short")]).toEqual(["sub/in.txt", "M top.txt"]);
  });

  it("leaves nothing staged of a file that the index takes for unchanged", async () => {
    repository({ "a.txt": "1\n", "b.txt": "1\n" });
    await begin();
    git("update-index", "--assume-unchanged", "a.txt");
    for (const name of ["a.txt", "b.txt"]) writeFileSync(file(name), "2\n");
    await commit({ paths: ["a.txt", "b.txt"] });
    expect([git("show", "HEAD:a.txt"), git("diff", "--cached", "--name-only"), git("status", "--short")]).toEqual([
      "2",
      "",
      "",
    ]);
  });

  it("that cannot be made leaves branch, index and files as they were", async () => {
    repository({ "a.txt": "1\n", "b.txt": "1\n" });
    await begin();
    writeFileSync(file("new.txt"), "1\n");
    const before = stand();
    const refused = [
      await refusal(commit({ paths: ["a.txt"], branch: "work" })),
      await refusal(commit({ paths: ["new.txt", "missing.txt"], branch: "work" })),
      await refusal(commit({ paths: ["new.txt"], branch: "main" })),
    ];
    writeFileSync(file(".git/index.lock"), "");
    refused.push(await refusal(commit({ paths: ["new.txt"], branch: "work" })));
    refused.push(await refusal(commit({ paths: ["new.txt"] })));
    rmSync(file(".git/index.lock"));
    git("config", "--unset", "user.email");
    git("config", "user.useConfigOnly", "true");
    refused.push(await refusal(commit({ paths: ["new.txt"], branch: "work" })));
    const failed = (command: string): string => `Git could not do this: git ${command} failed in ${bench.workspace}`;
    expect(refused).toEqual([
      "There is nothing to commit: these files are as in the last commit",
      failed("add"),
      "The repository has a branch main already",
      failed("add"),
      failed("add"),
      "Git does not know who commits",
    ]);
    expect([stand(), git("rev-list", "--all", "--count")]).toEqual([before, "1"]);
  });

  it.runIf(isFullRun())("is refused while a merge is unfinished", async () => {
    repository({ "a.txt": "1\n" });
    for (const [branch, content] of [
      ["other", "o\n"],
      ["main", "m\n"],
    ] as const) {
      git("checkout", "-q", branch === "main" ? "main" : "-b", ...(branch === "main" ? [] : [branch]));
      writeFileSync(file("a.txt"), content);
      git("commit", "-qam", branch);
    }
    await begin();
    expect(() => git("merge", "-q", "other")).toThrow();
    writeFileSync(file("new.txt"), "1\n");
    const before = stand();
    expect(await refusal(commit({ paths: ["new.txt"], branch: "work" }))).toBe(
      `A merge is unfinished in ${bench.workspace}`,
    );
    expect(stand()).toEqual(before);
  });

  it.runIf(isFullRun())("is the first of a repository, on a new branch, without what else is staged", async () => {
    git("init", "-q", "-b", "main");
    git("config", "user.name", "T");
    git("config", "user.email", "t@example.invalid");
    await begin();
    for (const name of ["a.txt", "staged.txt"]) writeFileSync(file(name), "1\n");
    git("add", "staged.txt");
    const { branch } = await commit({ paths: ["a.txt"], branch: "work" });
    expect([branch, git("show", "--name-only", "--format="), git("status", "--short")]).toEqual([
      "work",
      "a.txt",
      "A  staged.txt",
    ]);
  });

  it("is refused while the agent of another session works in the same directory", async () => {
    repository({ "a.txt": "1\n" });
    await begin();
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.manner({ until: promise });
    const other = await bench.sessions.create({ workspace: bench.workspace }, anyone);
    await bench.sessions.startTurn(other.id, { prompt: "Work" }, anyone);
    writeFileSync(file("a.txt"), "2\n");
    expect(await refusal(commit({ paths: ["a.txt"] }))).toBe(
      `An agent is at work in this workspace: “Work” (session ${other.id})`,
    );
    resolve();
    await bench.engine.runningTurn(other.id)?.settled;
    expect(await commit({ paths: ["a.txt"] })).toMatchObject({ branch: "main" });
  });
});

describe("what Git keeps otherwise than the checkout has it", () => {
  it("is not committed where nobody defines the filter, nor is a repository of its own", async () => {
    repository({ ".gitattributes": "*.key filter=crypt\n", "a.txt": "1\n" });
    await begin();
    writeFileSync(file("b.key"), "secret\n");
    writeFileSync(file("a.txt"), "2\n");
    mkdirSync(file("nested"));
    gitIn(file("nested"), "init", "-q");
    gitIn(
      file("nested"),
      "-c",
      "user.name=T",
      "-c",
      "user.email=t@e.invalid",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "N",
    );
    const before = git("cat-file", "--batch-all-objects", "--batch-check");
    const refused = [await refusal(commit({ paths: ["b.key", "a.txt"] })), git("rev-parse", "HEAD")];
    expect(git("cat-file", "--batch-all-objects", "--batch-check")).toBe(before);
    refused.push(await refusal(commit({ paths: ["nested", "a.txt"] })), git("rev-parse", "HEAD"));
    expect(refused).toEqual([
      "A filter that Caret does not run decides what Git keeps of b.key",
      git("rev-parse", "HEAD"),
      "These are Git repositories of their own: nested",
      git("rev-parse", "HEAD"),
    ]);
    await commit({ paths: ["a.txt"] });
    expect(git("status", "--short")).toBe("?? b.key\n?? nested/");
  });
});

describe("discarding", () => {
  const hunks = async (path: string): Promise<readonly string[]> =>
    splitHunks((await changes()).files.find((each) => each.path === path)?.unified ?? "");
  const discard = async (path: string, hunk: string | undefined): Promise<void> =>
    await bench.sessions.discardHunk(sessionId, { path, hunk: hunk ?? "" }, anyone);

  it("several hunks of a file at once loses none of the discards", async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `${index}\n`);
    repository({ "a.txt": lines.join("") });
    await begin();
    writeFileSync(file("a.txt"), lines.map((line, index) => (index % 40 === 20 ? `changed ${line}` : line)).join(""));
    const all = await hunks("a.txt");
    await Promise.all(all.map((hunk) => discard("a.txt", hunk)));
    expect([all.length, text("a.txt")]).toEqual([5, lines.join("")]);
  });

  it("gives back a deleted program as a program and a deleted link as a link", async () => {
    writeFileSync(file("run.sh"), "#!/bin/sh\n");
    chmodSync(file("run.sh"), 0o755);
    symlinkSync("run.sh", file("link"));
    repository({});
    await begin();
    for (const name of ["run.sh", "link"]) rmSync(file(name));
    for (const name of ["run.sh", "link"]) await discard(name, (await hunks(name))[0]);
    expect([lstatSync(file("run.sh")).mode & 0o111, readlinkSync(file("link"))]).toEqual([0o111, "run.sh"]);
    expect((await changes()).files).toEqual([]);
  });

  it("gives a deleted file back as a checkout has it, and none that a filter would change", async () => {
    repository({
      ".gitattributes": "*.txt text eol=crlf\n*.key filter=crypt\n",
      "a.txt": "1\r\n2\r\n",
      "b.key": "cipher\n",
    });
    writeFileSync(file("latin.md"), Buffer.from("caf\xe9\n", "latin1"));
    git("add", "-A");
    git("commit", "-qm", "Latin");
    await begin();
    for (const name of ["a.txt", "b.key", "latin.md"]) rmSync(file(name));
    for (const name of ["a.txt", "latin.md"]) await discard(name, (await hunks(name))[0]);
    const refused = await refusal(discard("b.key", (await hunks("b.key"))[0]));
    expect([text("a.txt"), readFileSync(file("latin.md"), "latin1"), refused, existsSync(file("b.key"))]).toEqual([
      "1\r\n2\r\n",
      "caf\xe9\n",
      "A filter that Caret does not run decides what Git keeps of b.key",
      false,
    ]);
  });

  it.runIf(isFullRun())("offers no lines of a link that became a file", async () => {
    symlinkSync("nowhere", file("link"));
    repository({});
    await begin();
    rmSync(file("link"));
    writeFileSync(file("link"), "nowhere");
    expect((await changes()).files).toEqual([{ path: "link", status: "modified" }]);
  });

  it.runIf(isFullRun())("keeps the line ends of a file that Git commits without carriage returns", async () => {
    repository({ ".gitattributes": "*.txt text eol=crlf\n", "a.txt": "1\r\n2\r\n3\r\n" });
    await begin();
    writeFileSync(file("a.txt"), "1\r\ntwo\r\n3\r\n");
    await discard("a.txt", (await hunks("a.txt"))[0]);
    expect(text("a.txt")).toBe("1\r\n2\r\n3\r\n");
  });
});

describe("the changes of a session", () => {
  it("have a change of the same length in the second of the last commit", async () => {
    repository({ "a.txt": "1\n" });
    await begin();
    // As a fast agent does it: the index and both versions of the file are of one second.
    git("config", "core.trustCtime", "false");
    const second = Math.floor(Date.now() / 1000) - 5;
    utimesSync(file("a.txt"), second, second);
    git("update-index", "--really-refresh");
    writeFileSync(file("a.txt"), "2\n");
    for (const name of ["a.txt", ".git/index"]) utimesSync(file(name), second, second);
    expect((await changes()).files).toMatchObject([{ path: "a.txt", status: "modified", additions: 1 }]);
  });

  it.runIf(isFullRun())(
    "are those since the last commit when the repository has pruned what the session began with",
    async () => {
      repository({ "a.txt": "1\n" });
      await begin();
      writeFileSync(file("a.txt"), "2\n");
      git("commit", "-q", "--amend", "-a", "-m", "Instead");
      git("reflog", "expire", "--expire=now", "--all");
      git("gc", "-q", "--prune=now");
      writeFileSync(file("a.txt"), "3\n");
      expect(await changes()).toMatchObject({
        since: "commit",
        files: [{ path: "a.txt", additions: 1, deletions: 1 }],
      });
    },
  );

  it("name a branch so that a shell takes it for one word", async () => {
    repository({ "a.txt": "1\n" });
    git("remote", "add", "origin", "https://github.example/team/tool.git");
    git("checkout", "-q", "-b", "it's;touch$IFS-owned");
    await begin();
    expect((await changes()).compare?.push).toBe(`git push --set-upstream origin 'it'\\''s;touch$IFS-owned'`);
  });

  it.runIf(isFullRun())("are shown beside a new repository without a commit", async () => {
    repository({ "a.txt": "1\n" });
    await begin();
    writeFileSync(file("a.txt"), "2\n");
    mkdirSync(file("app"));
    gitIn(file("app"), "init", "-q");
    expect((await changes()).files).toMatchObject([{ path: "a.txt", status: "modified" }]);
  });
});

it("deletes a session while the snapshot of its workspace is being taken", async () => {
  repository(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}.txt`, "1\n"])));
  for (let index = 0; index < 50; index += 1) writeFileSync(file(`${index}.txt`), `${index}\n`);
  const sessions = await Promise.all(
    Array.from({ length: 4 }, () => bench.sessions.create({ workspace: bench.workspace }, anyone)),
  );
  await Promise.all(sessions.map(({ id }) => bench.sessions.delete(id, anyone)));
  expect(readdirSync(join(bench.directory, "attachments"))).toEqual([]);
});

describe("the worktree of a deleted session", () => {
  const wanted = () => ({ workspace: bench.workspace, worktree: true });

  it("stays while a fork of the session works in it, and goes with the last of them", async () => {
    repository({ "a.txt": "1\n" });
    const first = await bench.sessions.create(wanted(), anyone);
    const fork = await bench.sessions.fork(first.id, {}, anyone);
    await bench.sessions.delete(first.id, anyone);
    const isThere = existsSync(fork.workspace);
    await bench.sessions.delete(fork.id, anyone);
    expect([isThere, existsSync(fork.workspace), git("branch", "--format=%(refname:short)")]).toEqual([
      true,
      false,
      "main",
    ]);
  });

  it("stays with a branch whose commits are not merged, although another commit is checked out", async () => {
    repository({ "a.txt": "1\n" });
    const { id, workspace } = await bench.sessions.create(wanted(), anyone);
    writeFileSync(join(workspace, "work.txt"), "work\n");
    gitIn(workspace, "add", "-A");
    gitIn(workspace, "commit", "-qm", "Work");
    const work = gitIn(workspace, "rev-parse", "HEAD");
    gitIn(workspace, "checkout", "-q", "--detach", "main");
    await bench.sessions.delete(id, anyone);
    expect([existsSync(workspace), git("branch", "--contains", work, "--format=%(refname:short)")]).toEqual([
      true,
      gitIn(workspace, "for-each-ref", "--format=%(refname:short)", "refs/heads/caret"),
    ]);
  });

  it.runIf(isFullRun())("stays where Git cannot read it or knows no commit that both have", async () => {
    repository({ "a.txt": "1\n" });
    const [unreadable, unrelated] = [
      await bench.sessions.create(wanted(), anyone),
      await bench.sessions.create(wanted(), anyone),
    ];
    mkdirSync(join(unreadable.workspace, "app"));
    gitIn(join(unreadable.workspace, "app"), "init", "-q");
    await bench.sessions.delete(unreadable.id, anyone);
    git("checkout", "-q", "--orphan", "alone");
    git("commit", "-qm", "Alone");
    await bench.sessions.delete(unrelated.id, anyone);
    expect([existsSync(unreadable.workspace), existsSync(unrelated.workspace)]).toEqual([true, true]);
  });
});
