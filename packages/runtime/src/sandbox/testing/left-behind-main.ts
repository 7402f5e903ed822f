import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { type LeftBehind, leftBehind, mostLeftBehind } from "./left-behind.ts";
import { leftHidden, mostLeftHidden } from "./left-hidden.ts";
import { createSandboxBench } from "./sandbox-bench.ts";

/**
 * Makes every attempt twice, without a sandbox and in one of the given word; then a person goes on working outside. Prints the names of those
 * whose programs ran then. Below the size `full` they are made in a sandbox alone, and with `shared` only those that share a workspace. A
 * program of its own, so that a test that runs as root can have it run by another user.
 */
const [, , tools = "", word = "", size = ""] = argv;
const PATH = "/usr/local/bin:/usr/bin:/bin";
const START =
  "git init -q -b main .; echo a >a; echo f >x.f; echo t >x.t; echo m >x.m; git add .; git commit -qm one; echo b >b; git add b; git commit -qm two";
/** What a person does who goes on: looks around, commits, switches, merges, rebases, stashes. */
const GO_ON = `git status; for f in a x.f x.t x.m; do echo n >>$f; done; git diff; git add -u; git commit -qm mine; git log -1 -p
git checkout -q -b mine; echo o >>a; git commit -qam o; git checkout -q main; echo p >>x.m; git commit -qam p; git merge -q --no-edit mine
echo q >>b; git stash -q; git stash pop -q; git commit -qam q; git rebase -q -f HEAD~1; git rebase -i HEAD~1; git fetch -q r; git fetch -q .; git commit -q --amend --no-edit; git commit -q --amend`;

async function play(attempts: readonly LeftBehind[], isInside: boolean): Promise<readonly boolean[]> {
  const bench = createSandboxBench([], [tools]);
  const { workspace, home, directory } = bench;
  const loot = join(directory, "loot");
  mkdirSync(loot);
  const env = { PATH, HOME: home, TERM: "dumb", A: join(tools, "attempt"), GIT_EDITOR: undefined };
  const sh = (script: string): boolean =>
    spawnSync("/bin/sh", ["-c", script], { cwd: workspace, env: { ...env }, stdio: "ignore", timeout: 60_000 })
      .status === 0;
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
  sh(START);
  for (const { before } of attempts) if (before !== undefined) sh(before);
  attempts.forEach((_, index) => {
    // A filter passes on what it reads. In the place of a server both sides would wait for each other.
    writeFileSync(join(workspace, `run-${index}`), `#!/bin/sh\ntouch ${loot}/${index}\ntimeout 1 cat\n`, {
      mode: 0o755,
    });
  });
  const script = attempts
    .map((attempt, index) => `(RUN=$PWD/run-${index}; export RUN; ${attempt.script}) </dev/null >/dev/null 2>&1`)
    .join("\n");
  if (isInside) await bench.run(word === "on" ? "on" : "strict", script, { env: { HOME: home, A: env.A } });
  else sh(script);
  for (const name of readdirSync(loot)) rmSync(join(loot, name));
  for (const { later } of attempts) if (later !== undefined) sh(`(${later}) </dev/null`);
  const found = attempts.map((attempt) => attempt.found !== undefined && sh(attempt.found));
  if (attempts.some((attempt) => attempt.found === undefined)) sh(`(${GO_ON}) </dev/null`);
  const results = attempts.map((attempt, index) =>
    attempt.found === undefined ? existsSync(join(loot, String(index))) : (found[index] ?? false),
  );
  // Some of them close directories.
  sh("chmod -R u+rwx .");
  await bench.close();
  return results;
}

const report = [];
const most = [...mostLeftBehind, ...mostLeftHidden];
const groups = {
  full: [...leftBehind, ...leftHidden],
  quick: most,
  shared: most.filter((group) => group.length > 1),
}[size];
if (groups === undefined) throw new Error(`${size} is no size`);
for (const group of groups.map((attempts) =>
  attempts.filter((attempt) => attempt.word === undefined || word === attempt.word),
)) {
  const without = size !== "full" ? group.map(() => true) : await play(group, false);
  const inside = await play(group, true);
  report.push(
    ...group.map(({ name, isOptional = false }, index) => ({
      name,
      isOptional,
      without: without[index],
      inside: inside[index],
    })),
  );
}
stdout.write(JSON.stringify(report));
