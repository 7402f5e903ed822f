// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of shell
import { describe, expect, it } from "vitest";
import { createSessionGrants } from "./grants/session-grants.ts";
import { createPolicy } from "./policy.ts";
import type { PolicyMode } from "./policy-mode.ts";
import type { PolicyCall, PolicyRule } from "./policy-parts.ts";

const decide = (command: string, mode: PolicyMode, rules: readonly PolicyRule[]) => {
  const call: PolicyCall = { tool: "exec", kind: "shell", input: { command } };
  const policy = createPolicy({ mode, rules, workspace: "/w", attended: true, newRequestId: () => "r" });
  return { call, decision: policy.decide(call) };
};

/** Rules allow everything on the line except `git status`, so only its effect on `git status` is in question. */
const others: readonly PolicyRule[] = [
  "cd",
  "chdir",
  "pushd",
  "ls",
  "echo",
  ":",
  "printf",
  "unset",
  "read",
  "[",
  "exec",
  "wait",
].map((command) => ({ effect: "allow", command }));

/** By a rule, and by what a person has allowed for the session. */
function isAllowed(line: string): readonly [boolean, boolean] {
  const rule = decide(line, "supervised", [...others, { effect: "allow", command: "git status" }]);
  const grants = createSessionGrants({ newId: () => "g", now: () => 0 });
  grants.add({ kind: "command", words: ["git", "status"], more: false, directory: "." });
  const asked = decide(line, "supervised", others);
  return [rule.decision.effect === "allow", grants.use(asked) !== undefined];
}

describe("a command that is allowed does not cover a line that changes what it is", () => {
  it.each([
    ...[
      "for PATH in ./bin; do git status; done",
      "for HOME in .; do git status; done",
      "for GIT_DIR in x; do git status; done",
    ],
    ...[
      "for PATH do git status; done",
      "for PATH\nin ./bin\ndo\ngit status\ndone",
      "select PATH in ./bin; do git status; done",
    ],
    ...[
      "for npm_config_x in a; do git status; done",
      "for ((PATH=1;;)); do git status; done",
      "for path in a; do git status; done",
    ],
    ...[
      "PATH=./bin git status",
      "PATH=./bin; git status",
      "PATH+=:. git status",
      "CI[0]=1 git status",
      "CI+=1 git status",
    ],
    ...[
      "read PATH < a; git status",
      "mapfile PATH < a; git status",
      "getopts a PATH -a; git status",
      "printf -v PATH x; git status",
    ],
    ...[
      "printf {-v,PATH} x; git status",
      "builtin printf -vPATH x; git status",
      "let PATH=1; git status",
      "((PATH=1)); git status",
    ],
    ...[
      "declare -x PATH=b; git status",
      "typeset PATH=b; git status",
      "local PATH=b; git status",
      "readonly PATH; git status",
    ],
    ...[
      "export PATH=b; git status",
      "command export PATH=b; git status",
      "unset PATH; git status",
      "unset -f git; git status",
    ],
    ...[
      "unset HOME; git status",
      "wait -p PATH; git status",
      "coproc PATH { :; }; git status",
      "echo ${PATH:=b}; git status",
    ],
    ...[
      "echo ${PATH=b}; git status",
      "echo $((PATH=1)); git status",
      "echo $[PATH=1]; git status",
      "echo ${a[PATH=1]}; git status",
    ],
    ...[
      "echo ${HOME:PATH=1}; git status",
      "[[ PATH=1 -eq 1 ]]; git status",
      "[ -v 'a[$(x)]' ]; git status",
      "exec {PATH}<a; git status",
    ],
    ...[
      "git() { :; }; git status",
      "function git { :; }; git status",
      "alias git=x; git status",
      "hash -p ./x git; git status",
    ],
    ...[
      "set -a; git status",
      "shopt -s expand_aliases; git status",
      "trap 'x' DEBUG; git status",
      "enable -f x git; git status",
    ],
    ...[
      "PROMPT_COMMAND=x; git status",
      ". ./x; git status",
      "source x; git status",
      "eval 'PATH=b'; git status",
      'eval "$X"; git status',
    ],
    ...[
      "env PATH=b git status",
      "env -i git status",
      "env -u HOME git status",
      "env - git status",
      "env a-b=1 git status",
    ],
    ...[
      "env 'BASH_FUNC_git%%=() { :; }' git status",
      "command -p git status",
      "exec -c git status",
      "sh -c 'PATH=b; git status'",
    ],
    ...[
      "cd x; git status",
      "cd x && git status",
      "(cd x; git status)",
      "chdir x; git status",
      "pushd x; git status",
      "git status; cd x",
    ],
    ...[
      "for f in a b; do git status; cd x; done",
      "eval cd x; git status",
      "command cd x; git status",
      "git -C x status",
    ],
    ...[
      "git --git-dir=x status",
      "git --work-tree x status",
      "find . -execdir git status ';'",
      "cd x\ngit status",
      "cd x | git status",
    ],
    ...[
      "g\\\nit status",
      "git\u00a0status",
      "git status\r",
      "git $'status'",
      'git $"status"',
      "git {status,-s}",
      "git status 10>x",
    ],
  ])("%j", (line) => {
    expect({ line, allowed: isAllowed(line) }).toEqual({ line, allowed: [false, false] });
  });

  it.each([
    ...[
      "git status",
      "CI=1 git status",
      "git status; git status",
      "git status && ls",
      "git status | ls",
      "(git status)",
      "git status &",
    ],
    ...[
      "for f in a b; do git status; done",
      "if git status; then ls; fi",
      "while git status; do ls; done",
      "{ git status; }",
    ],
    ...[
      "! git status",
      'echo "$(git status)"',
      "echo `git status`",
      "git status 2>/dev/null",
      "git 'status'",
      "git \\\n  status",
    ],
    ...[
      "time git status",
      "sh -c 'git status'",
      "nohup git status",
      "env CI=1 git status",
      "unset f; git status",
      "# c\ngit status # d",
    ],
  ])("and covers one that does not: %j", (line) => {
    expect({ line, allowed: isAllowed(line) }).toEqual({ line, allowed: [true, true] });
  });
});

describe("an everyday line is run by `auto` unasked", () => {
  it.each([
    ...[
      "git status",
      "ls -la",
      "ls src | head -5",
      "npm test && npm run lint",
      "cd packages/x && npm test",
      "npm test 2>&1 | tail -20",
    ],
    ...[
      "npm ci >/dev/null 2>&1 || echo failed",
      "cat a.txt | grep -v '#' | sort | uniq -c",
      "find . -name '*.ts' | xargs wc -l",
    ],
    ...[
      "git log --oneline -5; git diff --stat",
      "git add -A && git commit -m \"Fix 'it' (again)\"",
      'for f in *.ts; do wc -l "$f"; done',
    ],
    ...[
      'git commit -m "$(cat <<\'EOF\'\nFix `a` $(b)\n\nWhy: "c"\nEOF\n)"',
      "cat > notes.md <<'EOF'\n# A (b) $c `d`\nEOF",
      'echo "$HOME"',
    ],
    ...[
      "if [ -f package.json ]; then npm test; else make; fi",
      "[ -d src ] && ls src",
      'test -n "$CI" || echo local',
      "(cd src && ls)",
    ],
    ...[
      "grep -rn \"foo\\|bar\" src --include='*.{ts,tsx}'",
      "mkdir -p a/b && touch a/b/c",
      "node build.js &> build.log",
      "sleep 1 & wait",
    ],
    ...[
      "CI=1 npx vitest run \\\n  --reporter=dot \\\n  src",
      "npm run build && \\\nnpm test",
      "printf '%s\\n' \"$x\"",
      "while false; do ls; done",
    ],
    ...[
      "echo ${HOME%/} ${x:-y} ${#x}",
      "tar czf a.tgz src && ls -lh a.tgz",
      "time npm test",
      "! grep -q x a",
      "ls ~/x",
      "sed -n '1,5p' a",
    ],
  ])("%j", (line) => {
    const { effect, reason } = decide(line, "auto", []).decision;
    expect({ effect, reason }).toEqual({ effect: "allow", reason: expect.any(String) });
  });
});
