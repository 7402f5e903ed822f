import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCommandLine } from "./read-command-line.ts";

/** Words that the shell computes are shown as `$`. */
const shown = (command: unknown) => {
  const { commands, writes, opaque } = readCommandLine(command);
  const words = commands.map(({ words: each }) => each.map(({ text, fixed }) => (fixed ? text : `${text}$`)).join(" "));
  return { commands: words, writes, opaque: opaque.length > 0 };
};
const plain = (...commands: readonly string[]) => ({ commands, writes: [], opaque: false });

describe("a command line that can be followed", () => {
  it.each<[string, readonly string[]]>([
    ["ls -la", ["ls -la"]],
    ["a && rm -rf b", ["a", "rm -rf b"]],
    ["a || b; c & d | e |& f", ["a", "b", "c", "d", "e", "f"]],
    ["a\nb\nc", ["a", "b", "c"]],
    ["a \\\n  b", ["a b"]],
    ["# rm a\nls # rm b", ["ls"]],
    ["echo a#b", ["echo a#b"]],
    ["'rm' \"-rf\" x\\ y", ["rm -rf x y"]],
    ["\\rm x; r''m y; \"r\"m z", ["rm x", "rm y", "rm z"]],
    ["echo \"a && rm b\" '; rm c'", ["echo a && rm b ; rm c"]],
    ['echo "\\$(rm a) \\"b\\" \\c"', ['echo $(rm a) "b" \\c']],
    ["(cd a; rm b)", ["cd a", "rm b"]],
    ["{ rm b; }", ["rm b"]],
    ["! rm b", ["rm b"]],
    ["if [ -f a ]; then rm a; else ls; fi", ["[ -f a ]", "rm a", "ls"]],
    ["for f in a b; do rm $f; done", ["rm $"]],
    ["while true; do rm a; done", ["true", "rm a"]],
    ["echo $(rm a)", ["rm a", "echo $"]],
    ['echo "now $(date; rm a)"', ["date", "rm a", "echo now $"]],
    ["echo `rm a`", ["rm a", "echo $"]],
    ["echo $(echo $(rm a))", ["rm a", "echo $", "echo $"]],
    [`rm $HOME \${X:-y}`, ["rm $ $"]],
    ["NODE_ENV=test CI=1 npm test", ["npm test"]],
    ["env CI=1 npm test", ["npm test"]],
    ["sudo rm a", ["sudo rm a", "rm a"]],
    ["nohup nice -n 5 timeout -k 5 60 rm a", ["rm a"]],
    ["time rm a", ["rm a"]],
    ["command rm a; command -v rm", ["rm a", "command -v rm"]],
    ["find . -name x -exec rm {} \\;", ["find . -name x -exec rm {} ;", "rm {}"]],
    ["find . -delete", ["find . -delete", "rm"]],
    ["ls | xargs -0 -n 1 rm -f", ["ls", "rm -f $"]],
    ["sh -c 'rm a'", ["rm a"]],
    ['bash -lc "cd x && rm a"', ["cd x", "rm a"]],
    ["sh -c \"bash -c 'rm a'\"", ["rm a"]],
    ["bash build.sh", ["bash build.sh"]],
    ["eval rm a", ["rm a"]],
    ["eval 'rm a; ls'", ["rm a", "ls"]],
    ["git -C x --no-pager push -f", ["git push -f"]],
    ["awk '{print $1}' a", ["awk {print $1} a"]],
    ["python3 a.py; node --version; python3 -m pytest", ["python3 a.py", "node --version", "python3 -m pytest"]],
    ["cat <<'EOF'\n$(rm a)\nrm b\nEOF\nls", ["cat", "ls"]],
    ["cat <<-EOF\n\trm b\n\tEOF\nls", ["cat", "ls"]],
    ["cat <<< 'rm b'", ["cat"]],
    ["make 2>&1 >/dev/null </dev/zero", ["make"]],
    ["", []],
  ])("%j runs %j", (line, commands) => {
    expect(shown(line)).toEqual(plain(...commands));
  });

  it("may be a list of words, which no shell sees", () => {
    expect([shown(["echo", "$(rm a)"]), shown(["bash", "-lc", "rm a"])]).toEqual([
      plain("echo $(rm a)"),
      plain("rm a"),
    ]);
  });

  it("finds which files are written", () => {
    const line = "a > one; b >>two 2> 'three x'; c &> four; d >| five; e >& six; sh -c 'f > seven'";
    expect(readCommandLine(line).writes.toSorted()).toEqual(
      ["one", "two", "three x", "four", "five", "six", "seven"].toSorted(),
    );
  });
});

describe("a command line that could hide anything", () => {
  it.each([
    "$CMD a",
    "r$1m a",
    `rm\${IFS}-rf`,
    "$(echo rm) a",
    "`echo rm` a",
    "{rm,-rf,a}",
    "/bin/r? a",
    "$'\\x72m' a",
    '$"r"m a',
    "a\nb\r\nc",
    'for f in -delete; do find "$f"; done',
    "for f in 'a[$(rm b)]'; do [ $f ]; done",
    "for f in {-v,b}; do ls $f; done",
    "cat < /dev/tcp/localhost/80",
    "echo $(( $(rm a) ))",
    "~(",
    "eval (<<<for i do ",
    "rm$\\\n! a",
    "eval $X",
    'eval "$(cat x)"',
    'sh -c "$X"',
    "sh -c $(cat x)",
    "curl x | sh",
    "bash <<EOF\nrm a\nEOF",
    "bash -s < x",
    "bash -o pipefail -c 'rm a'",
    "bash <(curl x)",
    ". ./x",
    "source x",
    "PATH=/tmp ls",
    "LD_PRELOAD=x ls",
    "X=1; ls",
    "env -S 'rm a'",
    "env GIT_SSH_COMMAND=x git fetch",
    "export PATH=/tmp",
    "alias ls=rm",
    "f() { rm a; }; f",
    "function f { rm a; }",
    "case a in a) rm a;; esac",
    "[[ -f a ]]",
    "((x=1))",
    "echo $((1+1))",
    `echo \${x:-$(rm a)}`,
    "cat <<EOF\n$(rm a)\nEOF",
    "cat <<EOF\nno end",
    "echo 'open",
    'echo "open',
    "echo `open",
    "echo $(open",
    "echo )",
    "xargs --arg-file=x rm",
    "xargs sh -c",
    "sudo -u root rm a",
    "git -c alias.x='!rm a' x",
    "python3 -c 'x'",
    "python3 - < x",
    "node -e x",
    "perl -pe x",
    "cat x | node",
    "awk 'BEGIN{system(\"rm a\")}'",
    "find . -exec {} \\;",
    "parallel rm ::: a",
    "echo > $X",
    "cd - && echo > etc/x",
    "cd && touch x",
    "cd $D && sort -o x y",
    `${"$(".repeat(20)}rm${")".repeat(20)}`,
    `${"sudo ".repeat(100)}ls`,
    `echo ${"a".repeat(60_000)}`,
  ])("is said to be so: %s", (line) => {
    expect(shown(line).opaque).toBe(true);
  });

  it.each([[42], [undefined], [[]], [["rm", 1]]])("is said to be so: %j", (command) => {
    expect(shown(command).opaque).toBe(true);
  });
});

describe("any line at all", () => {
  const piece = fc.constantFrom(
    "rm",
    "a",
    " ",
    ";",
    "&&",
    "|",
    "$(",
    ")",
    "`",
    "'",
    '"',
    "\\",
    "\n",
    "<<E",
    "E",
    ">",
    "{",
    "}",
    "$x",
    "(",
    "#",
    "sh -c ",
    "eval ",
    "sudo ",
    "xargs ",
    "=",
  );

  it("is read without failing", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expect(() => readCommandLine(pieces.join(""))).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });

  /** Asks the shell itself: `mark` is a function there, and our reading must have shown it for every line in which it ran. */
  it.runIf(existsSync("/bin/bash"))("defects 14: never hides a command that the shell would run", () => {
    expect({ ranMark: ran("mark"), ranEchoMark: ran("echo mark") }).toEqual({ ranMark: true, ranEchoMark: false });
    const safe = fc.constantFrom(
      "mark",
      ":",
      " ",
      " ",
      ";",
      "&&",
      "||",
      "|",
      "$(",
      ")",
      "`",
      "'",
      '"',
      "\\",
      "\n",
      "{",
      "}",
      "(",
      "#",
      "eval ",
      "if ",
      "then ",
      "fi",
      "! ",
      "$x",
      "x",
      "time -p ",
      "<<E\n",
      "\nE\n",
      "E",
      "\\\n",
      "\\'",
      "\\`",
      "<",
      "for i do ",
      "; done",
      "-- ",
    );
    fc.assert(
      fc.property(fc.array(safe, { minLength: 1, maxLength: 12 }), (pieces) => {
        const line = pieces.join("");
        const { commands, opaque } = readCommandLine(line);
        const isSeen = opaque.length > 0 || commands.some(({ words: [name] }) => name?.text === "mark");
        if (!isSeen) expect({ line, ran: ran(line) }).toEqual({ line, ran: false });
      }),
      { numRuns: 150 },
    );
  });
});

function ran(line: string): boolean {
  const script = `mark() { echo MARKED >&3; }\n${line}\n`;
  const outer = '{ /bin/bash --norc -c "$1"; } 3>&1 >/dev/null 2>&1; true';
  const output = execFileSync("/bin/bash", ["--norc", "-c", outer, "bash", script], {
    env: { PATH: "", SHLVL: "2" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 10_000,
  });
  return output.includes("MARKED");
}
