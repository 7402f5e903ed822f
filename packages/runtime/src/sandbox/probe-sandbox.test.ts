import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { createSpawner } from "../process/spawner/create-spawner.ts";
import { createWorkbench, testEnv, type Workbench } from "../process/testing/workbench.ts";
import { probeSandbox, type SandboxState } from "./probe-sandbox.ts";

const spawner = createSpawner({ mode: "inline" });
let bench: Workbench;
beforeEach(() => {
  bench = createWorkbench();
});
afterEach(() => bench.remove());
afterAll(() => spawner.close());

/** A bubblewrap that does this. */
async function probe(script: string): Promise<SandboxState> {
  const file = bench.program("bwrap", `#!/bin/sh\n${script}\n`);
  return await probeSandbox({ platform: "linux", file, filter: "/dev/null", spawner, env: testEnv });
}

const fixes = {
  older: "Install bubblewrap 0.7 or newer.",
  refused: expect.stringMatching(/^Allow unprivileged user namespaces: .*max_user_namespaces/),
  other: "Run `bwrap --ro-bind / / true` to see what is wrong with it.",
} as const;

it.each([
  ["bwrap: Unknown option --seccomp", fixes.older],
  ["bwrap: setting up uid map: Permission denied", fixes.refused],
  ["bwrap: Creating new namespace failed: Operation not permitted", fixes.refused],
  ["bwrap: Creating new namespace failed: No space left on device", fixes.refused],
  ["bwrap: Can't mkdir /newroot: Read-only file system", fixes.other],
])("says of %j what is to be done", async (words, fix) => {
  const why = `bubblewrap does not work here: ${words}`;
  expect(await probe(`echo "${words}" >&2; exit 1`)).toEqual({ kind: "none", why, fix });
});

it("says that it failed at once where bubblewrap said nothing", async () => {
  expect(await probe("exit 3")).toEqual({
    kind: "none",
    why: "bubblewrap does not work here: Bubblewrap failed before it could start the agent",
    fix: fixes.other,
  });
});

it("does without the ban on user namespaces where bubblewrap is too old to know it", async () => {
  const old = 'case "$*" in *--disable-userns*) echo "bwrap: Unknown option --disable-userns" >&2; exit 1;; esac';
  expect(await probe(old)).toMatchObject({ kind: "ready", disableUserns: false });
  expect(await probe("exit 0")).toMatchObject({ kind: "ready", disableUserns: true });
});

it("leaves no timer behind that would keep a program which only looks", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    expect([(await probe("exit 0")).kind, vi.getTimerCount()]).toEqual(["ready", 0]);
  } finally {
    vi.useRealTimers();
  }
});
