/** One try at leaving something behind that runs outside, when a person goes on working there. */
export interface LeftBehind {
  readonly name: string;
  /**
   * For `/bin/sh`, in the workspace. `$RUN` is a program, in the workspace, that writes its own mark when it is run outside.
   */
  readonly script: string;
  /** It is left when this succeeds outside, in the workspace; absent: when its program was run. */
  readonly found?: string;
  /** A setting of the user's own, before the turn. */
  readonly before?: string;
  /** Only a sandbox of this word stops it. */
  readonly word?: "strict";
  /** What a person does, besides looking around and committing. */
  readonly later?: string;
  /** Some machines refuse it by themselves. */
  readonly isOptional?: true;
}

const hooks = [
  ...["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-merge", "pre-rebase"],
  ...["post-rewrite", "reference-transaction", "post-index-change", "pre-merge-commit"],
];

const settings: Readonly<Record<string, string>> = {
  "core.fsmonitor": "$RUN",
  "core.editor": "$RUN",
  "diff.external": "$RUN",
  "filter.f.clean": "$RUN",
  "diff.t.textconv": "$RUN",
  "merge.m.driver": "$RUN",
  "sequence.editor": "$RUN",
  "core.alternateRefsCommand": "$RUN",
  "core.sshCommand": "$RUN",
};
const ATTRIBUTES =
  "echo '*.f filter=f' >>.gitattributes; echo '*.t diff=t' >>.gitattributes; echo '*.m merge=m' >>.gitattributes";

/** Those that do not get in each other's way: they are made in one workspace, in one turn. */
export const leftBehind: readonly (readonly LeftBehind[])[] = [
  hooks.map((hook) => ({ name: `write the hook ${hook}`, script: `mkdir -p .git/hooks; cp $RUN .git/hooks/${hook}` })),
  Object.entries(settings).map(([key, value]) => ({
    name: `set ${key}`,
    script: `${ATTRIBUTES}; git config ${key} "${value}"; git config remote.r.url ssh://h/x`,
    isOptional: true as const,
  })),
  [
    {
      name: "replace .git/config by a link",
      script: "printf '[core]\\n\\tfsmonitor = %s\\n' $RUN >c; ln -sf ../c .git/config",
    },
  ],
  [{ name: "set gpg.program", script: "git config gpg.program $RUN; git config commit.gpgSign true" }],
  [
    {
      name: "include a file",
      script: "printf '[core]\\n\\tfsmonitor = %s\\n' $RUN >inc; git config include.path ../inc",
    },
  ],
  [
    {
      name: "write the configuration of the worktree",
      script: "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor $RUN",
    },
  ],
  [
    {
      name: "write the configuration of a worktree whose setting has no value",
      before: "printf '[extensions]\\n\\tworktreeConfig\\n' >>.git/config",
      script: "printf '[core]\\n\\tfsmonitor = %s\\n' $RUN >.git/config.worktree",
    },
  ],
  ...[
    ["on one line", "printf '[core] hooksPath = own\\n' >>.git/config"],
    ["with a comment", "printf '[core]\\n\\thooksPath = own # ours\\n' >>.git/config"],
    ["in quotes", "printf '[core]\\n\\thooksPath = o\"w\"n\\n' >>.git/config"],
    ["on two lines", "printf '[core]\\n\\thooksPath = o\\\\\\nwn\\n' >>.git/config"],
    [
      "by an included file of an included file",
      "git config include.path ../i1; git config -f i1 include.path i2; git config -f i2 core.hooksPath own",
    ],
    ["in the user's own settings", "git config --global core.hooksPath own"],
    ["below a directory that is not there", "git config core.hooksPath not/yet/own"],
  ].map(([how = "", before = ""]) => [
    {
      name: `write to the hooks that are named ${how}`,
      before,
      script: "for d in own not/yet/own; do mkdir -p $d; cp $RUN $d/post-commit; cp $RUN $d/pre-commit; done",
    },
  ]),
  [
    {
      name: "change an included file",
      before: "git config include.path ../i1; echo >i1",
      script: "printf '[core]\\n\\tfsmonitor = %s\\n' $RUN >i1",
    },
  ],
  [
    {
      name: "make an included file",
      before: "git config include.path ../i3",
      script: "printf '[core]\\n\\tfsmonitor = %s\\n' $RUN >i3",
    },
  ],
  [
    {
      name: "change a program that git is told of",
      before: "printf '#!/bin/sh\\n' >fsm; chmod +x fsm; git config core.fsmonitor ./fsm",
      script: "cp $RUN fsm",
    },
  ],
  ...["pick", "break"].map((first) => [
    {
      name: `leave a rebase with ${first}`,
      script: `GIT_SEQUENCE_EDITOR="sed -i '1i break\\nexec $RUN'" git rebase -i HEAD~1`,
      later: "git rebase --continue",
    },
  ]),
  [
    {
      name: "leave a rebase of another kind",
      script: `mkdir .git/rebase-merge; cd .git/rebase-merge; echo "exec $RUN" >git-rebase-todo; git rev-parse HEAD >onto; cp onto orig-head; echo refs/heads/main >head-name; : >interactive; echo 1 >msgnum; echo 1 >end`,
      later: "git rebase --continue",
    },
  ],
  [
    {
      name: "leave a repository in the index as a submodule",
      script:
        "git init -q n && cd n && git commit -q --allow-empty -m x && git config core.fsmonitor $RUN && cd .. && git add n",
    },
    {
      name: "leave a repository in a directory",
      script: "git init -q r && cd r && git config core.fsmonitor $RUN",
      later: "git -C r status",
    },
    {
      name: "leave a repository deep in packages",
      script:
        "mkdir -p node_modules/p && git init -q node_modules/p && git -C node_modules/p config core.fsmonitor $RUN",
      later: "git -C node_modules/p status",
    },
    {
      name: "leave a hook in a repository",
      script: "git init -q h && cp $RUN h/.git/hooks/post-commit",
      later: "git -C h commit -q --allow-empty -m x",
    },
    {
      name: "leave a repository that is named by a file",
      script: "git init -q --separate-git-dir g1 w1 && git -C w1 config core.fsmonitor $RUN",
      later: "git -C w1 status",
    },
    {
      name: "leave a bare repository",
      script:
        "git init -q --bare b1 && git -C b1 config core.worktree $PWD && git -C b1 config core.bare false && git -C b1 config core.fsmonitor $RUN",
      later: "git -C b1 status",
    },
    {
      name: "leave a repository whose directory is named otherwise",
      script: "git init -q up && mv up/.git up/.GIT && ln -s .GIT up/.git && git -C up config core.fsmonitor $RUN",
      later: "git -C up status",
    },
    {
      name: "change a repository that is there",
      script: "git -C old config core.fsmonitor $RUN",
      before: "git init -q old",
      later: "git -C old status",
    },
    {
      name: "leave a working tree with a configuration of its own",
      script:
        "git worktree add -q t1 -b t1; git config extensions.worktreeConfig true; git -C t1 config --worktree core.fsmonitor $RUN",
      later: "git -C t1 status",
    },
  ],
  [
    {
      name: "make a program that git is told of",
      before: "git config diff.external ./tools/differ",
      script: "mkdir -p tools; cp $RUN tools/differ",
    },
    {
      name: "change a program that is given to another one",
      before: "echo : >ssh.sh; git config core.sshCommand 'sh ssh.sh'; git config remote.s.url ssh://h/x",
      script: "cat $RUN >ssh.sh",
      later: "git fetch s",
    },
    {
      name: "change a program of a remote",
      before: "echo : >up; chmod +x up; git config remote.u.url $PWD/x; git config remote.u.uploadpack ./up",
      script: "cat $RUN >up",
      later: "git fetch u",
    },
    {
      name: "change a program that is named by where the working tree is",
      before:
        "mkdir t; echo : >t/ed; chmod +x t/ed; git config sequence.editor '\"$(git rev-parse --show-toplevel)/t/ed\"'",
      script: "cat $RUN >t/ed",
      later: "git rebase -i HEAD~1",
    },
    {
      name: "change the program that updates a submodule",
      before:
        "git init -q s; git -C s commit -q --allow-empty -m x; git -c protocol.file.allow=always submodule --quiet add ./s s; git -C s commit -q --allow-empty -m y; echo : >upd; git config submodule.s.update '!sh ../upd'",
      script: "cat $RUN >upd",
      later: "git submodule update",
    },
    {
      name: "write a program that a repository below is told of",
      before: "git init -q n1; git -C n1 config core.fsmonitor ./own/fsm",
      script: "mkdir -p n1/own; cp $RUN n1/own/fsm",
      later: "git -C n1 status",
    },
    {
      name: "write to the hooks that a repository below is told of",
      before: "git init -q n2; git -C n2 config core.hooksPath tools",
      script: "mkdir -p n2/tools; cp $RUN n2/tools/pre-commit",
      later: "git -C n2 commit -q --allow-empty -m x",
    },
  ],
  [
    {
      name: "write to the hooks of a working tree",
      before: "git config core.hooksPath own; git worktree add -q w2 -b w2",
      script: "mkdir -p w2/own; cp $RUN w2/own/pre-commit",
      later: "git -C w2 commit -q --allow-empty -m x",
    },
    {
      name: "write to the hooks of a working tree that it makes",
      script: "git worktree add -q w3 -b w3; mkdir -p w3/own; cp $RUN w3/own/pre-commit",
      later: "git -C w3 commit -q --allow-empty -m x",
    },
  ],
  [
    {
      name: "write to the hooks of a bare repository that is the workspace",
      before: "git init -q --bare ../bare; mv .git ../old-git; mv ../bare/* .",
      script: "cp $RUN hooks/reference-transaction",
      later: "git update-ref refs/heads/x $(git commit-tree -m x $(git mktree </dev/null))",
    },
  ],
  [
    {
      name: "replace objects",
      script: "echo x >x1; git replace HEAD $(git commit-tree -m x HEAD^{tree})",
      found: "git replace -l | grep -q .",
    },
    {
      name: "stage a file of git",
      script: `printf 'DIRC' >/dev/null; b=$(git hash-object -w $RUN); printf '100755 %s\\t.git/hooks/x\\n' $b | git update-index --index-info; t=$(printf '100755 blob %s\\tpost-checkout\\n' $b | git mktree); t=$(printf '040000 tree %s\\thooks\\n' $t | git mktree); t=$(printf '040000 tree %s\\t.git\\n' $t | git mktree); git update-ref refs/heads/evil $(git commit-tree -m x $t)`,
      found: "git rev-parse -q --verify evil",
    },
  ],
  [
    ...[
      ".envrc",
      ".npmrc",
      ".yarnrc.yml",
      ".mise.toml",
      "lefthook.yml",
      ".mcp.json",
      ".bazelrc",
      ".pre-commit-config.yaml",
    ],
    ...[".vscode/tasks.json", ".husky/pre-commit", ".devcontainer/devcontainer.json", ".claude/settings.json"],
    ...[".idea/workspace.xml", ".cargo/config.toml", ".githooks/pre-commit", ".zed/tasks.json", ".direnv/bin/x"],
    ...["sub/.envrc", "sub/.vscode/tasks.json", ".Envrc", "sub/deep/er/.husky/pre-push", "there/.envrc"],
  ].map((path) => ({
    name: `make ${path}`,
    before: "mkdir -p there; echo old >there/.envrc",
    script: `mkdir -p "$(dirname ${path})"; cp $RUN ${path}`,
    found: `grep -q touch ${path}`,
    word: "strict" as const,
  })),
  [
    { name: "make .envrc a link", script: "ln -s $RUN .envrc", found: "test -L .envrc", word: "strict" },
    {
      name: "make a directory .vscode a link",
      script: "mkdir v; cp $RUN v/tasks.json; ln -s v .vscode",
      found: "test -e .vscode/tasks.json",
      word: "strict",
    },
    {
      name: "make .envrc in what looks like a repository",
      script: "mkdir -p e/objects e/refs; : >e/HEAD; cp $RUN e/.envrc",
      found: "test -e e/.envrc",
      word: "strict",
    },
    {
      name: "make .envrc in the objects of what looks like a repository",
      script: "mkdir -p e2/objects/ab e2/refs; : >e2/HEAD; cp $RUN e2/objects/ab/.envrc",
      found: "test -e e2/objects/ab/.envrc",
      word: "strict",
    },
    {
      name: "replace a directory above",
      script: "mkdir a1; cp $RUN a1/.envrc; mv a1 a2",
      found: "test -e a2/.envrc",
      word: "strict",
    },
  ],
  ["4755", "2755", "6711"].map((mode) => ({
    name: `make a program of mode ${mode}`,
    script: `cp $RUN p${mode}; chmod ${mode} p${mode}`,
    found: `find p${mode} -perm /6000 | grep -q .`,
  })),
  ["creat", "open", "mknod", "fchmod", "fchmodat2", "openat2", "tmpfile"].map((how) => ({
    name: `make a program that runs as its owner by ${how}`,
    script: `$A set-id-${how} s-${how}`,
    found: `find s-${how} -perm /6000 | grep -q .`,
    ...(how === "fchmodat2" || how === "openat2" || how === "tmpfile" ? { isOptional: true as const } : {}),
  })),
];

/** Enough of them for every run: those that share a workspace, and one of each other kind. */
export const mostLeftBehind = leftBehind.filter(
  (group) =>
    group.length > 1 ||
    /^(?:leave a rebase with break|include a file|write to the hooks that are named in quotes)$/.test(
      group[0]?.name ?? "",
    ),
);
