import type { LeftBehind } from "./left-behind.ts";

/** A repository at this path, in whose settings the program is named by a pattern, which no other program takes for its name. */
const armed = (path: string): string =>
  `git init -q "${path}" && git -C "${path}" -c user.name=x -c user.email=x commit -q --allow-empty -m x; git -C "${path}" config core.fsmonitor "sh \${RUN%?}[\${RUN#\${RUN%?}}]"`;
const status = (path: string): string => `git -C "${path}" status`;
/** A name of 240 letters. */
const LONG = "$(printf %0240d 0)";

/** Left where one who looks for it does not get to: too far down, behind too many others, under names that are no text. */
export const leftHidden: readonly (readonly LeftBehind[])[] = [
  [
    {
      name: "leave a repository behind very many directories",
      script: `mkdir -p many z/z/z; (cd many; seq 1 11000 | sed 's,$,/a,' | xargs mkdir -p 2>/dev/null); ${armed("z/z/z/r")}`,
      later: status("z/z/z/r"),
    },
  ],
  [
    {
      name: "leave a repository whose name is no text",
      script: `P=$(printf 'r\\377'); ${armed("$P")}`,
      later: `P=$(printf 'r\\377'); ${status("$P")}`,
    },
    {
      name: "leave a repository below a name that is no text",
      script: `P=$(printf 'q\\377'); mkdir "$P"; ${armed("$P/r")}`,
      later: `P=$(printf 'q\\377'); ${status("$P/r")}`,
    },
    {
      name: "write a hook of a name that is text among some that are none",
      before: "git init -q n4; git -C n4 config core.hooksPath tools",
      script: "mkdir -p n4/tools; : >$(printf 'n4/tools/\\377'); cp $RUN n4/tools/pre-commit",
      later: "git -C n4 commit -q --allow-empty -m x",
    },
    {
      name: "write a hook among very many files",
      before: "git init -q n5; git -C n5 config core.hooksPath tools",
      script:
        "mkdir -p n5/tools; (cd n5/tools; seq 1 3000 | xargs touch); cp $RUN n5/tools/pre-commit; cp $RUN n5/tools/zz",
      later: "git -C n5 commit -q --allow-empty -m x",
    },
    {
      name: "make the hooks of a repository a link",
      script: "git init -q l1; rm -rf l1/.git/hooks; mkdir l1h; cp $RUN l1h/pre-commit; ln -s ../../l1h l1/.git/hooks",
      later: "git -C l1 commit -q --allow-empty -m x",
    },
    {
      name: "leave a repository at the end of a long path",
      script: `P=d; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do P=$P/${LONG}; done; P=$P/$(printf %0125d 0); mkdir -p $P; ${armed("$P/r")}`,
      later: `P=d; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do P=$P/${LONG}; done; P=$P/$(printf %0125d 0); ${status("$P/r")}`,
    },
    {
      name: "leave a repository below a directory that cannot be listed",
      script: `mkdir c1; ${armed("c1/r")}; chmod 0111 c1`,
      later: status("c1/r"),
    },
    {
      name: "leave a repository whose directories cannot be written",
      script: `${armed("c2")}; chmod 0555 c2/.git c2`,
      later: status("c2"),
    },
    {
      name: "leave a repository whose directories cannot be listed",
      script: `${armed("c3")}; chmod 0111 c3/.git c3`,
      later: status("c3"),
    },
    {
      name: "write a hook of a repository that git cannot read just then",
      before: "git init -q n6; git -C n6 config core.hooksPath tools",
      script: "mkdir -p n6/tools; cp $RUN n6/tools/pre-commit; cp $RUN n6/tools/post-commit; echo x >n6/.git/HEAD",
      later: "echo ref: refs/heads/main >n6/.git/HEAD; git -C n6 commit -q --allow-empty -m x",
    },
  ],
  [
    {
      name: "write a hook of a repository in which git waits for ever",
      before: "git init -q n7; git -C n7 config core.hooksPath tools",
      script: "mkdir -p n7/tools; cp $RUN n7/tools/pre-commit; rm n7/.git/HEAD; mkfifo n7/.git/HEAD",
      later: "rm n7/.git/HEAD; echo ref: refs/heads/main >n7/.git/HEAD; git -C n7 commit -q --allow-empty -m x",
    },
  ],
  [
    {
      name: "write to the hooks of the repository above",
      before: "rm -rf .git; git init -q ..; git -C .. config core.hooksPath workspace/tools",
      script: "mkdir -p tools; cp $RUN tools/pre-commit",
      later: "git commit -q --allow-empty -m x",
    },
    {
      name: "change a program of the repository above",
      before: "echo : >fsm; chmod +x fsm; git -C .. config core.fsmonitor workspace/fsm",
      script: "cat $RUN >fsm",
      later: "git status",
    },
  ],
  [
    {
      name: "change a file of the project that is a hook by a link",
      before:
        "mkdir -p scripts; echo : >scripts/check; chmod +x scripts/check; ln -s ../../scripts/check .git/hooks/pre-commit",
      script: "cat $RUN >scripts/check",
      later: "git commit -q --allow-empty -m x",
    },
    {
      name: "make a file of the project that a hook is a link to",
      before: "ln -s ../../scripts/none .git/hooks/post-commit",
      script: "cp $RUN scripts/none || { mkdir scripts; cp $RUN scripts/none; }",
      later: "git commit -q --allow-empty -m x",
    },
    {
      name: "change a file of the project that is a hook of a repository below by a link",
      before:
        "git init -q n8; mkdir n8/s; echo : >n8/s/check; chmod +x n8/s/check; ln -s ../../s/check n8/.git/hooks/pre-commit",
      script: "cat $RUN >n8/s/check",
      later: "git -C n8 commit -q --allow-empty -m x",
    },
  ],
  [
    {
      name: "write to a directory of the project that is the directory of hooks by a link",
      before: "rm -rf .git/hooks; mkdir -p hk; ln -s ../hk .git/hooks",
      script: "cp $RUN hk/pre-commit",
      later: "git commit -q --allow-empty -m x",
    },
  ],
  [
    {
      name: "commit another hook than the one that lies there",
      before:
        "mkdir own; echo '#!/bin/sh' >own/pre-commit; chmod +x own/pre-commit; git add .; git commit -qm h; git config core.hooksPath own",
      script:
        "b=$(git hash-object -w $RUN); git update-index --add --cacheinfo 100755,$b,own/pre-commit; git commit -qm evil",
      later: "git stash -q; git commit -q --allow-empty -m x",
    },
  ],
  [
    {
      name: "hide a branch with another hook behind more than can be looked at",
      before:
        "mkdir own; echo '#!/bin/sh' >own/pre-commit; chmod +x own/pre-commit; git add .; git commit -qm h; git config core.hooksPath own",
      script: `b=$(git hash-object -w $RUN); git update-index --add --cacheinfo 100755,$b,own/pre-commit; t=$(git write-tree); git reset -q
old=$(GIT_COMMITTER_DATE='2001-01-01 00:00 +0000' git commit-tree $t -p HEAD -m old); git branch evil $old
for i in $(seq 250); do echo "create refs/heads/many-$i $(GIT_COMMITTER_DATE="2030-01-01 00:00:00 +0000" git commit-tree $t -p HEAD -m $i)"; done | git update-ref --stdin`,
      later: "git checkout -q evil; git commit -q --allow-empty -m x",
    },
  ],
  [
    {
      name: "stage another hook than the one that lies there",
      before:
        "mkdir own; echo '#!/bin/sh' >own/post-commit; chmod +x own/post-commit; git add .; git commit -qm h2; git config core.hooksPath own",
      script: "b=$(git hash-object -w $RUN); git update-index --add --cacheinfo 100755,$b,own/post-commit",
      later: "git checkout -q -- .; git commit -q --allow-empty -m x",
    },
  ],
];

/** Enough of them for every run. */
export const mostLeftHidden = leftHidden.filter((group) => group.length > 1);
