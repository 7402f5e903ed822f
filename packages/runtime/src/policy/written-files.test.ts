import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPolicy } from "./policy.ts";
import type { PolicyMode } from "./policy-mode.ts";
import type { PolicyRule } from "./policy-parts.ts";

let workspace: string;
beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "caret-written-")));
  mkdirSync(join(workspace, "src"));
  writeFileSync(join(workspace, "src", "a.ts"), "");
});
afterAll(() => rmSync(workspace, { recursive: true }));

function decide(command: string, mode: PolicyMode = "auto", rules: readonly PolicyRule[] = []) {
  const policy = createPolicy({ mode, rules, workspace, attended: true, newRequestId: () => "r" });
  return policy.decide({ tool: "exec", kind: "shell", input: { command: command.replaceAll("WORKSPACE", workspace) } });
}

const outside = [
  ["an option", ["sort -o OUT a", "sort -uo OUT a", "sort -oOUT a", "sort --output=OUT a", "sort --outp OUT a"]],
  [
    "another option",
    ["sort a -T OUT", "shuf -e a b -o OUT", "iconv -f utf8 -o OUT a", "tree -o OUT", "csplit -f OUT a 3"],
  ],
  [
    "an operand",
    ["tee OUT", "tee -a OUT < a", "cat a | tee src/b OUT", "uniq a OUT", "split -l 3 a OUT", "xxd -r a OUT"],
  ],
  ["a copy", ["cp a OUT", "cp -r src OUT", "cp -t OUT a", "cp --target-dir=OUT a", "cp -- a OUT", "ln -s a OUT"]],
  ["an installed file", ["install -m 755 a OUT", "install -d src OUT", "install -Dm644 a -t OUT"]],
  [
    "a new file",
    ["touch OUT", "touch -d now src/b OUT", "mkdir -p OUT", "mkdir -m 700 src/b OUT", "mkfifo OUT", "mktemp -p OUT"],
  ],
  [
    "an extracted archive",
    ["tar -C OUT -xf a", "tar xfC a OUT", "tar -xf a --directory=OUT", "tar -xPf a", "unzip a -d OUT"],
  ],
  [
    "a made archive",
    ["tar cf OUT src", "tar -czf OUT src", "tar --create --file=OUT src", "zip -r OUT src", "ar rcs OUT a.o"],
  ],
  [
    "other archives",
    ["7z x a.7z -oOUT", "7z a OUT src", "gzip OUT", "gunzip -k OUT", "zstd a -o OUT", "cpio -i -D OUT"],
  ],
  ["git elsewhere", ["git -C OUT add .", "git --git-dir=OUT commit -m x", "git --work-tree OUT add ."]],
  [
    "what git makes",
    ["git clone x OUT", "git clone --depth 1 x OUT", "git init OUT", "git worktree add OUT", "git archive -o OUT HEAD"],
  ],
  ["more of git", ["git diff --output=OUT", "git format-patch -o OUT HEAD~1", "git bundle create OUT HEAD"]],
  [
    "a build",
    ["make -C OUT", "make --directory=OUT", "ninja -C OUT", "cmake -B OUT", "gcc -o OUT a.c", "gcc a.c -oOUT"],
  ],
  [
    "what sed leaves behind",
    ["sed -i --expression=s/a/b/ OUT", "sed -iOUT'/*' s/a/b/ a", "sed --in-place=OUT'/*.bak' -n p a"],
  ],
  [
    "a letter that is no option",
    ["xz -Flzma OUT", "xz -Ccrc32 OUT", "gzip -Sct OUT", "xxd -ps a OUT", "xxd -bits a OUT"],
  ],
  ["a profile of awk", ["awk -dOUT 1 a", "awk -pOUT 1 a", "gawk --dump-variables=OUT 1", "gawk --prof=OUT 1"]],
  ["a log or a lock", ["less -OOUT a", "less -o OUT a", "flock OUT ls", "flock -w 3 OUT ls", "lz4 a OUT"]],
  ["a module of Python", ["python3 -m venv OUT", "python3 -m zipfile -e a OUT", "python3 -Im pip install -t OUT x"]],
  ["git's plumbing", ["git bugreport -o OUT", "git merge-file OUT b c", "git mailsplit -oOUT m", "git mv a OUT"]],
  ["a package manager", ["npm --prefix OUT ci", "npm -C OUT ci", "yarn --cwd OUT add x", "pip install -t OUT x"]],
  [
    "a program nobody lists",
    ["tsc --outDir OUT", "esbuild a --outfile=OUT", "protoc --js_out=OUT a", "pandoc a -o OUT"],
  ],
  [
    "a script",
    ["node a.js --output OUT", "python3 a.py -o OUT", "go test -coverprofile=OUT", "some-tool --out-dir OUT"],
  ],
  [
    "what is asked about anyway",
    ["dd if=a of=OUT", "curl -o OUT x", "wget -O OUT x", "rsync -a src/ OUT", "truncate -s 0 OUT"],
  ],
  ["a redirection", ["echo x > OUT", "echo x >> OUT", "cat a 2> OUT", "echo x >| OUT", "echo x &> OUT"]],
  [
    "a directory before",
    ["cd OUT && touch x", "cd OUT; mkdir x", "(cd OUT && sort -o x a)", "cd src && cd .. && touch ../x"],
  ],
  ["what `find` finds", ["find OUT -name a -exec touch {} +", "find . OUT -exec gzip {} ';'"]],
  [
    "a wrapper",
    ["env touch OUT", "sh -c 'sort -o OUT a'", "nice tee OUT", "find . -name a -exec cp {} OUT ';'", "xargs touch"],
  ],
] as const;

describe("a command that writes outside of the workspace is asked about in `auto`", () => {
  const places = ["/etc/x", "../x", "~/x", '"$HOME/x"'];
  const lines = outside.flatMap(([by, commands]) => commands.map((command) => [by, command] as const));
  it.each(lines)("by %s: %s", (_, command) => {
    const effects = places.map((place) => decide(command.replaceAll("OUT", place)).effect);
    expect(effects).toEqual(places.map(() => "ask"));
  });

  it.each([
    ["sort -o /etc/x a", "/etc/x is not known to be in the workspace"],
    ["tar -C /srv -xf a.tar", "/srv is not known to be in the workspace"],
    ["cd src && touch ../../x", expect.stringMatching(/x is not known to be in the workspace$/)],
    ["sort -o .git/config a", ".git/config decides what is run"],
    ["cp examples/.envrc .", ".envrc decides what is run"],
    ["cp -r examples/.vscode a src", "src/.vscode decides what is run"],
    ["cp -rt src examples/.husky/", "src/.husky decides what is run"],
    ["cp ../x/.envrc src", "src/.envrc decides what is run"],
    ["install -D examples/.npmrc src", "src/.npmrc decides what is run"],
    ["git mv examples/.envrc .", expect.stringMatching(/\.envrc decides what is run$/)],
  ])("with the reason: %s", (command, danger) => {
    expect(decide(command)).toMatchObject({ effect: "ask", reason: danger, danger });
  });
});

describe("a command that writes in the workspace, or only reads elsewhere, is not asked about in `auto`", () => {
  it.each([
    ...[
      "sort -o a b",
      "sort -u a | tee b",
      "cp /etc/hosts src/",
      "tar xf a.tar",
      "tar -C src -xf a.tar",
      "tar tf /tmp/a.tar",
    ],
    ...[
      "tar -C /etc -cf a.tar hosts",
      "unzip a.zip -d src",
      "zip -r a.zip src /usr/share/doc",
      "gzip -c /var/log/x > a.gz",
    ],
    ...[
      "touch a b",
      "mkdir -p src/x",
      "cd src && touch b",
      "cd src && mkdir -p x/y && cd x && touch z",
      "gcc -O2 -o src/a a.c",
    ],
    ...[
      "cd WORKSPACE && mkdir -p x",
      "cd WORKSPACE/src && touch b",
      "touch WORKSPACE/b",
      "git -C /srv/x log",
      "git -C src add .",
    ],
    ...[
      "grep -o /etc/x a",
      "ps -o pid",
      "ls -o /etc",
      "find /etc -name x -o -name y",
      "cmp a /etc/x",
      "uniq a",
      "uniq -c a b",
    ],
    ...[
      "git diff --output=a.patch",
      "git init src/x",
      "npm run build",
      "npm --prefix src ci",
      "node a.js --output src/x",
    ],
    ...[
      "gcc -o /dev/null a.c",
      "sort -o - a",
      "make -C src -j8",
      "tsc --outDir src/out -p .",
      "tee < a",
      "patch -p1 -i /tmp/x",
    ],
  ])("%s", (command) => {
    expect(decide(command)).toMatchObject({ effect: "allow", danger: undefined });
  });
});

describe("rules about files hold for what a command writes, whatever the mode", () => {
  const rule: PolicyRule = { effect: "deny", path: "secrets/**" };
  it.each([
    ...[
      "sort -o secrets/a b",
      "tar -C secrets/x -xf a.tar",
      "unzip a -d secrets/x",
      "touch secrets/a",
      "cd secrets && touch a",
    ],
    ...["git -C secrets/x add .", "tool --out-dir=secrets/x", "gcc -o secrets/a b.c", "cd secrets && sort -o a ../b"],
  ])("%s", (command) => {
    expect(decide(command, "full", [rule]).effect).toBe("deny");
    expect(decide(command.replaceAll("secrets", "public"), "full", [rule]).effect).not.toBe("deny");
  });

  it("a rule that allows a program does not let it write elsewhere", () => {
    const rules: PolicyRule[] = [{ effect: "allow", command: "curl" }];
    expect(["curl -o src/x u", "curl -o /etc/x u"].map((line) => decide(line, "auto", rules).effect)).toEqual([
      "allow",
      "ask",
    ]);
  });
});
