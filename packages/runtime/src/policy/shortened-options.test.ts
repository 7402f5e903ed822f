import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPolicy } from "./policy.ts";

let workspace: string;
beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "caret-shortened-")));
  execFileSync("git", ["init", "-q"], { cwd: workspace });
  writeFileSync(join(workspace, "a"), "a\n");
  execFileSync("git", ["add", "a"], { cwd: workspace });
});
afterAll(() => rmSync(workspace, { recursive: true }));

function isAllowed(command: string): boolean {
  const policy = createPolicy({ mode: "auto", rules: [], workspace, attended: true, newRequestId: () => "r" });
  return policy.decide({ tool: "exec", kind: "shell", input: { command } }, () => "no repository").effect === "allow";
}

/** Programs with an option that names a command; `%` is the option. GNU's and git's are there wherever the tests run. */
const launching = [
  ["split", "filter", "split --%='touch ran' a"],
  ["tar", "checkpoint-action", "tar --checkpoint=1 --%=exec='touch ran' -cf /dev/null a"],
  ["tar", "to-command", "tar -cf a.tar a; tar --%='touch ran' -xf a.tar"],
  ["tar", "use-compress-program", "tar --%='touch ran' -cf b.tar a"],
  ["git grep", "open-files-in-pager", "git grep --%='touch ran' a"],
  ["git ls-remote", "upload-pack", "git ls-remote --%='touch ran' ."],
  ["git fetch", "upload-pack", "git fetch --%='touch ran' ."],
  ["git clone", "upload-pack", "git clone --no-local --%='touch ran' . c"],
  ["git archive", "exec", "git archive --remote=. --%='touch ran' HEAD"],
] as const;

describe("a command in an option whose name is shortened", () => {
  it.each(launching)("is asked about where %s takes a beginning of --%s", (_program, name, form) => {
    writeFileSync(join(workspace, "ran.sh"), "#!/bin/sh\ntouch ran\n", { mode: 0o755 });
    const ran: string[] = [];
    const wrong: string[] = [];
    for (let length = 1; length <= name.length; length += 1) {
      const line = form.replace("%", name.slice(0, length));
      spawnSync("/bin/sh", ["-c", line], { cwd: workspace, timeout: 20_000 });
      if (!existsSync(join(workspace, "ran"))) continue;
      rmSync(join(workspace, "ran"));
      ran.push(line);
      if (isAllowed(line)) wrong.push(line);
    }
    expect(wrong).toEqual([]);
    expect(ran).not.toEqual([]);
  });

  it("is asked about where a program is not there to be tried", () => {
    const names = [
      ["tar -M --%=x -cf a b", "info-script", 3],
      ["tar --%=x -cf a b", "rsh-command", 2],
      ["tar --%=x -cf a b", "new-volume-script", 4],
      ["sort --%=x a", "compress-program", 2],
      ["install -s --%=x a b", "strip-program", 6],
      ["gawk --% p a", "file", 2],
      ["git difftool --%=x", "extcmd", 3],
      ["git rebase --% x HEAD", "exec", 2],
      ["git clone --% core.sshCommand=x . y", "config", 3],
      ["git init --%=t", "template", 1],
      ["npm exec --%='x y'", "call", 2],
      ["npm run --%=./x test", "script-shell", 3],
      ["man --%=x ls", "pager", 1],
      ["cpio -o --%=x", "rsh-command", 2],
      ["git archive --%=host:x HEAD", "remote", 1],
    ] as const;
    const lines = names.flatMap(([form, name, least]) =>
      Array.from({ length: name.length - least + 1 }, (_, more) => form.replace("%", name.slice(0, least + more))),
    );
    expect(lines.filter(isAllowed)).toEqual([]);
  });

  it("is no reason to ask about an option that is whole", () => {
    const lines = [
      ...["tar --checkpoint=10 -cf a.tar a", "tar --create --file=a.tar a", "install -s a b", "install --strip a b"],
      ...["git fetch --update-shallow", "git log --oneline --graph", "git commit --edit -m x", "npm ci --silent"],
      ...["git difftool --tool=x", "git branch --format=x", "git switch -cfeature", "git switch -c fix", "git init -q"],
      ...["git rebase main", "git clone --depth=1 https://host.example/x", "rename a b a.txt", "make -f Makefile all"],
      ...[
        "rename 's/\\.txt$/.md/' a.txt",
        "npm run build",
        "go vet ./...",
        "man ls",
        "g++ -O2 -o a a.cc",
        "xz -dc a.xz",
      ],
    ];
    expect(lines.filter((line) => !isAllowed(line))).toEqual([]);
  });
});

describe("an option that discards, under any beginning of its name", () => {
  it("is asked about", () => {
    const forms = [
      ["git checkout --% main", "force"],
      ["git checkout --%", "patch"],
      ["git switch --% main", "discard-changes"],
      ["git switch --% main", "force-create"],
      ["git branch --delete --% x", "force"],
      ["git tag --% x", "delete"],
    ] as const;
    const lines = forms.flatMap(([form, name]) =>
      Array.from({ length: name.length }, (_, at) => form.replace("%", name.slice(0, at + 1))),
    );
    expect(lines.filter(isAllowed)).toEqual([]);
  });
});
