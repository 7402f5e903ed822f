import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, it } from "vitest";
import { barSize } from "../../testing/bar-size.ts";
import { createSandboxBench, hasBubblewrap, type SandboxBench } from "../testing/sandbox-bench.ts";

const SIZE = barSize({ quick: 3_000, full: 10_000 });
const MOST_MS = 100;

let bench: SandboxBench;
beforeEach(() => {
  bench = createSandboxBench();
});
afterEach(() => bench.close());

const sh = (script: string): string =>
  execFileSync("/bin/sh", ["-ec", script], {
    cwd: bench.workspace,
    env: { PATH: "/usr/bin:/bin", HOME: bench.home, GIT_CONFIG_NOSYSTEM: "1" },
  }).toString();

/** The longest that this thread computed without giving way, in its own processor time: other work on the machine does not count. */
function watchThread(): () => number {
  const used = (): number => (({ user, system }) => (user + system) / 1000)(process.threadCpuUsage());
  let last = used();
  let longest = 0;
  const look = (): void => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}

it.skipIf(!hasBubblewrap)(
  `A turn that stages ${SIZE} files and makes ${2 * SIZE} branches holds the thread for less than ${MOST_MS} ms at a time`,
  async () => {
    sh("git init -q . && git -c user.name=Ada -c user.email=ada@example.com commit -q --allow-empty -m one");
    let stop = (): number => Number.NaN;
    const script = `mkdir d && cd d && seq 1 ${SIZE} | while read n; do echo $n >$n; done; cd .. && git add . &&
      seq 1 ${2 * SIZE} | sed "s,.*,create refs/heads/b/& $(git rev-parse HEAD)," | git update-ref --stdin`;
    await bench.run("on", script, {
      env: { HOME: bench.home },
      beforeClose: () => {
        stop = watchThread();
      },
    });
    expect(stop()).toBeLessThan(MOST_MS);
    expect(sh("git diff --cached --name-only | wc -l; git for-each-ref refs/heads/b | wc -l")).toBe(
      `${SIZE}\n${2 * SIZE}\n`,
    );
  },
  300_000,
);
