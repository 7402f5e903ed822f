import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anyone, createSessionBench, type SessionBench } from "../testing/session-bench.ts";

let bench: SessionBench;
beforeEach(() => {
  bench = createSessionBench();
});
afterEach(() => bench.close());

const file = (name: string): string => join(bench.workspace, name);
const git = (...args: readonly string[]): void => {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: bench.directory };
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
  execFileSync("git", ["-C", bench.workspace, ...who, ...args], { env, stdio: "pipe" });
};

function repository(files: Readonly<Record<string, string>>): void {
  git("init", "-q", "-b", "main");
  for (const [name, text] of Object.entries(files)) writeFileSync(file(name), text);
  if (Object.keys(files).length === 0) return;
  git("add", "-A");
  git("commit", "-qm", "First");
}

/** As in a clone that has only what was needed so far. */
function hideBlob(object: string): void {
  const kind = execFileSync("git", ["-C", bench.workspace, "cat-file", "-t", object], { encoding: "utf8" });
  if (kind.trim() === "blob") rmSync(file(`.git/objects/${object.slice(0, 2)}/${object.slice(2)}`));
}

async function changes(workspace = bench.workspace) {
  const { id } = await bench.sessions.create({ workspace }, anyone);
  return await bench.sessions.changes(id, anyone);
}

describe("the changes of a workspace", () => {
  it("are none where there is no repository", async () => {
    expect(await changes()).toEqual({ isRepository: false, files: [], omitted: 0 });
  });

  it("are what differs from the last commit, staged or not, and new files", async () => {
    repository({ "kept.txt": "same\n", "edited.txt": "a\nb\n", "gone.txt": "x\n", "old name.txt": "1\n2\n3\n4\n" });
    writeFileSync(file("edited.txt"), "a\nc\n");
    rmSync(file("gone.txt"));
    renameSync(file("old name.txt"), file("nëw name.txt"));
    git("add", "-A");
    writeFileSync(file("added.txt"), "hi");
    const { files, ...rest } = await changes();
    expect(rest).toEqual({ isRepository: true, branch: "main", omitted: 0 });
    expect(files).toEqual([
      {
        path: "edited.txt",
        status: "modified",
        additions: 1,
        deletions: 1,
        unified: "--- a/edited.txt\n+++ b/edited.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
      },
      {
        path: "gone.txt",
        status: "deleted",
        additions: 0,
        deletions: 1,
        unified: "--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
      },
      { path: "nëw name.txt", status: "renamed", oldPath: "old name.txt" },
      {
        path: "added.txt",
        status: "untracked",
        additions: 1,
        deletions: 0,
        unified: "--- /dev/null\n+++ b/added.txt\n@@ -0,0 +1,1 @@\n+hi\n\\ No newline at end of file\n",
      },
    ]);
  });

  it("find the diff of a file whatever its name", async () => {
    const names = [
      'quo"te.txt',
      "tab\there.txt",
      "line\nbreak.txt",
      "b b.txt",
      " lead.txt",
      "日本.txt",
      "diff --git a b",
    ];
    repository(Object.fromEntries(names.map((name) => [name, "one\n"])));
    for (const name of names) writeFileSync(file(name), "two\n");
    const { files } = await changes();
    expect(files.map(({ path, additions }) => [path, additions]).toSorted()).toEqual(
      names.map((name) => [name, 1]).toSorted(),
    );
  });

  it("are everything before the first commit", async () => {
    repository({});
    writeFileSync(file("staged.txt"), "s\n");
    git("add", "-A");
    expect((await changes()).files).toMatchObject([{ path: "staged.txt", status: "added", additions: 1 }]);
  });

  it("of a directory in a larger repository are those in it", async () => {
    mkdirSync(file("sub"));
    repository({ "top.txt": "1\n", "sub/in.txt": "1\n" });
    for (const name of ["top.txt", "sub/in.txt"]) writeFileSync(file(name), "2\n");
    expect((await changes(file("sub"))).files).toMatchObject([{ path: "in.txt", status: "modified", additions: 1 }]);
  });

  it("do not show what is binary, large, or behind a link", async () => {
    repository({ "data.bin": "\0\x01" });
    writeFileSync(file("data.bin"), "\0\x02");
    writeFileSync(file("new.bin"), "\0");
    writeFileSync(file("large.txt"), "x".repeat(100_000));
    writeFileSync(join(bench.directory, "secret"), "secret");
    symlinkSync(join(bench.directory, "secret"), file("link"));
    const { files } = await changes();
    expect(files.map(({ path, unified }) => [path, unified])).toEqual([
      ["data.bin", undefined],
      ["large.txt", undefined],
      ["link", undefined],
      ["new.bin", undefined],
    ]);
  });

  it("count what is too much to list", async () => {
    repository({});
    for (let index = 0; index < 505; index += 1) writeFileSync(file(`f${index}`), "");
    const { files, omitted } = await changes();
    expect([files.length, omitted]).toEqual([500, 5]);
  });

  it("run nothing that the repository names: monitors, filters, diff programs, hooks", async () => {
    repository({ "a.txt": "1\n", ".gitattributes": "* filter=evil diff=evil\n" });
    const evil = join(bench.directory, "evil.sh");
    const trace = join(bench.directory, "was-run");
    writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${trace}\ncat\n`);
    chmodSync(evil, 0o755);
    for (const key of [
      "core.fsmonitor",
      "filter.evil.clean",
      "filter.evil.process",
      "diff.external",
      "diff.evil.command",
      "diff.evil.textconv",
      "core.pager",
      "core.hooksPath",
    ])
      git("config", key, key === "core.hooksPath" ? bench.directory : evil);
    git("config", "filter.evil.required", "true");
    writeFileSync(file("a.txt"), "2\n");
    expect((await changes()).files).toMatchObject([{ path: "a.txt", status: "modified", additions: 1, deletions: 1 }]);
    await bench.sessions.findFiles(bench.workspace, "a", anyone);
    expect(existsSync(trace)).toBe(false);
  });

  describe("of a hostile repository", () => {
    let trace: string;
    let evil: string;
    beforeEach(() => {
      repository({ "a.txt": "1\n" });
      writeFileSync(file("a.txt"), "2\n");
      evil = join(bench.directory, "evil.sh");
      trace = join(bench.directory, "was-run");
      writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${trace}\n`);
      chmodSync(evil, 0o755);
    });

    it("are not shown when a filter has a name that cannot be given back to git", async () => {
      appendFileSync(file(".git/config"), Buffer.from(`[filter "\xff"]\n\tclean = ${evil}\n`, "latin1"));
      writeFileSync(file(".git/info/attributes"), Buffer.from("* filter=\xff\n", "latin1"));
      await expect(changes()).rejects.toMatchObject({ code: "unsupported" });
      expect(existsSync(trace)).toBe(false);
    });

    it("are not shown when it has more filters than can be read", async () => {
      const padding = `[filter "a"]\n\tclean = ${"x".repeat(9_000_000)}\n`;
      appendFileSync(file(".git/config"), `${padding}[filter "evil"]\n\tclean = ${evil}\n`);
      writeFileSync(file(".git/info/attributes"), "* filter=evil\n");
      await expect(changes()).rejects.toMatchObject({ code: "unsupported" });
      expect(existsSync(trace)).toBe(false);
    });

    it("are not shown when git does not heed the settings against its programs, as before version 2.31", async () => {
      git("config", "core.fsmonitor", evil);
      const programs = join(bench.directory, "bin");
      mkdirSync(programs);
      const old = '#!/bin/sh\nunset GIT_CONFIG_COUNT\nPATH=/usr/local/bin:/usr/bin:/bin exec git "$@"\n';
      writeFileSync(join(programs, "git"), old, { mode: 0o755 });
      const outdated = createSessionBench({ env: { PATH: `${programs}:/usr/bin:/bin`, HOME: bench.directory } });
      try {
        execFileSync("cp", ["-r", `${bench.workspace}/.`, outdated.workspace]);
        const { id } = await outdated.sessions.create({ workspace: outdated.workspace }, anyone);
        await expect(outdated.sessions.changes(id, anyone)).rejects.toMatchObject({
          code: "unsupported",
          fix: "Install Git 2.31 or newer.",
        });
      } finally {
        await outdated.close();
      }
      expect(existsSync(trace)).toBe(false);
    });

    it("do not run what a submodule names", async () => {
      git("init", "-q", "sub");
      git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "One");
      git("-c", "advice.addEmbeddedRepo=false", "add", "sub");
      git("commit", "-qm", "Second");
      writeFileSync(file("sub/s.txt"), "1\n");
      git("-C", "sub", "add", "-A");
      git("-C", "sub", "commit", "-qm", "Two");
      writeFileSync(file("sub/.git/info/attributes"), "* diff=evil\n");
      git("-C", "sub", "config", "diff.evil.command", evil);
      git("config", "diff.submodule", "diff");
      expect((await changes()).files.map(({ path }) => path)).toEqual(["a.txt", "sub"]);
      expect(existsSync(trace)).toBe(false);
    });

    it("fetch nothing that is missing from it", async () => {
      const first = readdirSync(file(".git/objects")).filter((name) => name.length === 2);
      for (const name of first) for (const rest of readdirSync(file(`.git/objects/${name}`))) hideBlob(name + rest);
      git("config", "core.repositoryformatversion", "1");
      git("config", "extensions.partialClone", "origin");
      git("config", "remote.origin.promisor", "true");
      git("config", "remote.origin.url", "ssh://example.invalid/x");
      git("config", "core.sshCommand", evil);
      git("config", "protocol.allow", "always");
      await changes();
      expect(existsSync(trace)).toBe(false);
    });

    it("cannot pass off one file's changes as another's", async () => {
      const text = "x\rdiff --git a/a.txt b/a.txt\r--- a/a.txt\n++ b/a.txt\nharmless\n";
      repository({ "z.txt": "1\n" });
      writeFileSync(file("a.txt"), "not harmless\n");
      writeFileSync(file("z.txt"), text);
      expect((await changes()).files.map(({ path, unified }) => [path, unified])).toEqual([
        ["a.txt", "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-2\n+not harmless\n"],
        ["z.txt", `--- a/z.txt\n+++ b/z.txt\n@@ -1 +1,3 @@\n-1\n+${text.slice(0, -1).replaceAll("\n", "\n+")}\n`],
      ]);
    });
  });

  it("do not change the repository", async () => {
    repository({ "a.txt": "1\n" });
    utimesSync(file("a.txt"), 1, 1); // git has to look into it, and would like to note that it did
    const before = readFileSync(file(".git/index"));
    await changes();
    expect(readFileSync(file(".git/index")).equals(before)).toBe(true);
  });
});

describe("finding files", () => {
  const find = (query: string, workspace = bench.workspace) => bench.sessions.findFiles(workspace, query, anyone);

  it("finds what git knows or would add, and not what it ignores", async () => {
    repository({ "a.txt": "", ".gitignore": "ignored.txt\n" });
    for (const name of ["ignored.txt", "new.txt"]) writeFileSync(file(name), "");
    expect(await find("")).toEqual(["a.txt", "new.txt", ".gitignore"]);
  });

  it("walks where there is no repository", async () => {
    mkdirSync(file("sub"));
    for (const name of ["a.txt", "sub/b.txt"]) writeFileSync(file(name), "");
    expect(await find("b")).toEqual(["sub/b.txt"]);
  });

  it("only looks where sessions may work", async () => {
    await expect(find("passwd", "/etc")).rejects.toMatchObject({ code: "workspace-forbidden" });
  });
});

describe("finding symbols", () => {
  const find = (query: string, workspace = bench.workspace) => bench.sessions.findSymbols(workspace, query, anyone);
  const code = "const total = 1;\n\nexport async function totalOf(list) {\n  return total(list);\n}\n";

  it("finds where a name is defined and not where it is used, the very name first", async () => {
    repository({ "sum.js": code, "sum.py": "class Totals:\n    def total_of(self):\n", ".gitignore": "out\n" });
    mkdirSync(file("out"));
    writeFileSync(file("out/sum.js"), code);
    expect(await find("total")).toEqual([
      { name: "total", path: "sum.js", line: 1 },
      { name: "totalOf", path: "sum.js", line: 3 },
      { name: "total_of", path: "sum.py", line: 2 },
      { name: "Totals", path: "sum.py", line: 1 },
    ]);
  });

  it("looks where there is no repository, too, and for nothing that is no name", async () => {
    writeFileSync(file("sum.js"), code);
    expect([await find("totalo"), await find("total("), await find("--help")]).toEqual([
      [{ name: "totalOf", path: "sum.js", line: 3 }],
      [],
      [],
    ]);
    await expect(find("root", "/etc")).rejects.toMatchObject({ code: "workspace-forbidden" });
  });
});
