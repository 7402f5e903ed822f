import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPolicy } from "./policy.ts";
import type { PolicyMode } from "./policy-mode.ts";
import type { Effect, PolicyRule } from "./policy-parts.ts";

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "caret-hidden-"));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const noRm: readonly PolicyRule[] = [{ effect: "deny", command: "rm" }];
const decide = (command: string, mode: PolicyMode, rules: readonly PolicyRule[]) =>
  createPolicy({ mode, rules, workspace, attended: true, newRequestId: () => "r1" }).decide({
    tool: "exec",
    kind: "shell",
    input: { command },
  });
/** In `auto`, in `auto` with a rule that denies `rm`, and in `full` with that rule. */
const effectsOf = (command: string): readonly Effect[] => [
  decide(command, "auto", []).effect,
  decide(command, "auto", noRm).effect,
  decide(command, "full", noRm).effect,
];

/** Whether the line, run by a real shell, deletes the file `victim`. */
function deletes(line: string, shell: string): boolean {
  const victim = join(workspace, "victim");
  writeFileSync(victim, "work\n");
  try {
    execFileSync(shell, ["-c", line], { cwd: workspace, stdio: "ignore", timeout: 10_000 });
  } catch {
    // how the line ends does not matter, only what it did
  }
  return !existsSync(victim);
}

const deny = ["ask", "deny", "deny"] as const;
const ask = ["ask", "ask", "ask"] as const;

describe("defects 14: a line that deletes is neither run unasked by `auto` nor past a rule that denies `rm`", () => {
  it.each<[string, string, readonly Effect[]]>([
    ["options of `time`", "time -p rm victim", deny],
    ["a quote behind a backslash in backquotes", "echo `echo \\'; rm victim; echo \\'`", deny],
    ["the end of a here-document on a joined line", "cat <<EOF\nEO\\\nF\nrm victim\ncat <<EOF\nEOF", deny],
    ["the input of xargs as a line", "echo 'rm victim' | xargs -I% sh -c %", ask],
    ["a shell that reads its input as a file", "echo 'rm victim' | sh /dev/stdin", ask],
    [
      "an interpreter that reads its input as a file",
      "echo 'import os; os.remove(\"victim\")' | python3 /dev/stdin",
      ask,
    ],
    ["a module that runs its arguments", "python3 -m timeit -n1 -r1 'import os; os.remove(\"victim\")'", ask],
    ["a module that runs what it is sent", "python3 -Im code <<< 'import os; os.remove(\"victim\")'", ask],
    ["flock", "flock lock rm victim", deny],
    ["flock with a line", "flock lock -c 'rm victim'", deny],
    ["sed's `e`", "echo x | sed '1e rm victim'", ask],
    ["sed's flag `e`", "echo 'rm victim' | sed 's/^//e'", ask],
    ["tar's checkpoints", "tar cf a.tar --checkpoint=1 --checkpoint-action=exec='rm victim' victim", ask],
    ["tar's checkpoints, abbreviated", "tar cf a.tar --checkpoint=1 --checkpoint-act=exec='rm victim' victim", ask],
  ])("by %s", (_form, line, effects) => {
    expect({ deletes: deletes(line, "/bin/bash"), effects: effectsOf(line) }).toEqual({ deletes: true, effects });
  });

  it.each([
    "env -S 'rm victim'",
    "env -- rm victim",
    "nice -n 5 rm victim",
    "nice -n5 rm victim",
    "timeout -s KILL 5 rm victim",
    "stdbuf -o L rm victim",
    "nohup rm victim",
    "setsid -w rm victim",
    "find . -name victim -exec rm {} +",
    "find . -name victim -exec sh -c 'rm {}' ';'",
    "awk 'BEGIN { system(\"rm victim\") }'",
    "perl -e 'unlink \"victim\"'",
    "python3 -Bc 'import os; os.remove(\"victim\")'",
    "node --eval='fs.unlinkSync(\"victim\")'",
    "eval -- rm victim",
    "eval 'r''m victim'",
    "command rm victim",
    "builtin command rm victim",
    "exec rm victim",
    "f() { rm victim; }; f",
    "shopt -s expand_aliases\nalias x=rm\nx victim",
    "{rm,victim}",
    "x=rm; $x victim",
    "cat <(rm victim)",
    "bash +x -c 'rm victim'",
    "sh -c 'for x do rm victim; done' sh 1",
    "echo rm victim | xargs env",
    "echo victim | xargs rm",
    "'trap' 'rm victim' EXIT",
    "\\. /dev/stdin <<< 'rm victim'",
    "readarray -c 1 -C 'rm victim; :' a <<< x",
    "compgen -C 'rm victim'",
    "printf -v 'a[$(rm victim)]' x",
    "cat <\\\n<EOF\n'\nEOF\nrm victim\n: '",
    "cat <<EOF\n$\\\n(rm victim)\nEOF",
    "git init -q; git -c alias.x='!rm victim' x",
    "git config alias.x '!rm victim'; git x",
    "git init -q; git submodule foreach true; git bisect run rm victim",
    "printf 'all:\\n\\trm victim\\n' | make -f -",
    "make --eval='$(shell rm victim)'",
    "ssh localhost rm victim",
    "vim -es -c '!rm victim' -c q",
    "npx -c 'rm victim'",
    "unshare rm victim",
    "some-launcher-nobody-lists --quiet rm victim",
    "some-launcher-nobody-lists --run='cd . && /bin/rm victim'",
    "sort --compress-prog=./x big",
    "split --filter='rm victim' big",
    "rg --pre ./x .",
  ])("by another form: %s", (line) => {
    const effects = effectsOf(line);
    expect({ line, allowed: effects.filter((effect) => effect === "allow") }).toEqual({ line, allowed: [] });
  });

  it("says which rule cannot be enforced, and lets a rule allow a program by its name", () => {
    const allowed: readonly PolicyRule[] = [...noRm, { effect: "allow", command: "npm test" }];
    expect([
      decide("npm test", "auto", []).effect,
      decide("npm test", "auto", noRm),
      decide("npm test", "auto", allowed).effect,
      decide("npm test && rm a", "auto", allowed).effect,
      decide("make", "full", noRm).effect,
      decide("./build.sh", "full", noRm).effect,
      decide("sh build.sh", "full", noRm).effect,
      decide("npm test", "full", [...noRm, { effect: "allow", command: "*" }]).effect,
    ]).toEqual([
      "allow",
      expect.objectContaining({
        effect: "ask",
        reason:
          "the rule that says deny command `rm` cannot be enforced on what `npm` starts; a rule that allows `npm` by name lets it run",
      }),
      "allow",
      "deny",
      "ask",
      "ask",
      "ask",
      "ask",
    ]);
  });

  it.each([
    "ls -la src | head -5",
    "grep -rn 'rm -rf' . | sort -u | wc -l",
    "echo 'rm victim'",
    "printf '%s\\n' rm",
    "sed -n '1,20p' a.ts",
    "sed -e 's/rm/mv/g' -e '/^$/d' a.ts",
    "sed 's|a|b|; 3,$p' a.ts",
    "awk '{print $1}' a",
    "find . -name '*.ts' -not -path './node_modules/*'",
    "git status && git diff --stat && git log --oneline -5",
    "git grep -n rm",
    "tar czf a.tgz src",
    "cat <<EOF > notes.md\na \\\nb\nEOF",
    "mv a.ts b.ts",
    "cp -r a b",
    "mv *.ts old/",
    "echo x | tee log.txt >/dev/null",
    'for f in a b; do cat "$f"; done',
    "time -p ls",
  ])("still runs what can be judged: %s", (line) => {
    expect(effectsOf(line)).toEqual(["allow", "allow", "allow"]);
  });
});

describe("defects 14: a command that moves or copies files", () => {
  it.each([
    ["mv src /tmp/elsewhere", "/tmp/elsewhere is not known to be in the workspace"],
    ["mv src ../elsewhere", expect.stringContaining("is not known to be in the workspace")],
    ["mv -t /tmp src", "/tmp is not known to be in the workspace"],
    ["mv --target-directory=/tmp src", "/tmp is not known to be in the workspace"],
    ["mv /etc/hosts .", "/etc/hosts is not known to be in the workspace"],
    ["mv src ~/x", "~/x is not known to be in the workspace"],
    ["mv src /dev/null", expect.any(String)],
    ['mv src "$OLDPWD"', "Caret cannot tell what the command line does: a file that cannot be known is written"],
    ["cp a /etc/cron.d/x", "/etc/cron.d/x is not known to be in the workspace"],
    ["cp a .git/hooks/pre-commit", ".git/hooks/pre-commit decides what is run"],
    ["echo x | tee /etc/x", "/etc/x is not known to be in the workspace"],
    ["sed -i s/a/b/ /etc/x", "/etc/x is not known to be in the workspace"],
    ["ln -s / l; echo x > l/etc/x", expect.any(String)],
  ])("is asked about where it leaves the workspace: %s", (line, danger) => {
    const { effect, danger: found } = decide(line, "auto", []);
    expect({ effect, danger: found }).toEqual({ effect: "ask", danger });
  });

  it("is judged by the rules about the files that it names", () => {
    expect(decide("mv .env x", "full", [{ effect: "deny", path: ".env" }]).effect).toBe("deny");
  });
});
