import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { type Containment, containCommand, probeContainment } from "./containment.ts";
import { createSpawner } from "./spawner/create-spawner.ts";
import { startProcess } from "./spawner/start-process.ts";
import { StatusFiles } from "./status-files.ts";
import { createStrayReaper } from "./stray-reaper.ts";
import { createWorkbench, readAll, testEnv, type Workbench } from "./testing/workbench.ts";

const spawner = createSpawner({ mode: "inline" });
const real = await probeContainment({ spawner, env: testEnv });

let bench: Workbench;

beforeEach(() => {
  bench = createWorkbench();
});
afterEach(async () => {
  await eventually(() => bench.survivors().length === 0, "nothing of the child is left");
  bench.remove();
});
afterAll(() => spawner.close());

/**
 * Behaves like bubblewrap: an outer process that reports, a first process inside, the agent below that, and an outer process that dies of
 * SIGTERM without passing it on.
 */
const standIn = (): Containment => ({
  kind: "bubblewrap",
  file: bench.program(
    "bwrap",
    `#!/bin/sh
while [ "$1" != "--" ]; do shift; done; shift
sh -c '"$@" 3>&- & wait $!' init "$@" 3>&- &
printf '{ "child-pid": %d }\\n' $! >&3
wait $!; code=$?
printf '{ "exit-code": %d }\\n' $code >&3
exit $code
`,
  ),
});

describe("looking for bubblewrap", () => {
  it("says why it cannot be used when it is not there", async () => {
    expect(await probeContainment({ spawner, env: testEnv, file: "/nowhere/bwrap" })).toEqual({
      kind: "none",
      why: "Could not start /nowhere/bwrap (ENOENT)",
    });
  });

  it("leaves no timer behind that would keep a program which only looks", async () => {
    const file = bench.program("bwrap", "#!/bin/sh\nexit 0\n");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const found = await probeContainment({ spawner, env: testEnv, file });
      expect([found, vi.getTimerCount()]).toEqual([{ kind: "bubblewrap", file }, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("repeats what it says when the system refuses it", async () => {
    const file = bench.program("bwrap", "#!/bin/sh\necho 'setting up uid map: Permission denied' >&2; exit 1\n");
    expect(await probeContainment({ spawner, env: testEnv, file })).toEqual({
      kind: "none",
      why: `${file} does not work here: setting up uid map: Permission denied`,
    });
  });

  it("does not wait for one that hangs", async () => {
    const file = bench.program("bwrap", "#!/bin/sh\nsleep 60\n");
    expect(await probeContainment({ spawner, env: testEnv, file, timeoutMs: 100 })).toEqual({
      kind: "none",
      why: `${file} does not work here: took too long`,
    });
  });
});

describe("a contained command", () => {
  it("is not written down for a later sweep, because the kernel ends it with the process that started it", async () => {
    const other = createSpawner({ mode: "inline", dataDir: bench.directory });
    const children = [bench.sh("cat", "held"), containCommand(bench.sh("cat", "held"), standIn())].map((command) =>
      other.spawn(command),
    );
    await Promise.all(children.map((child) => child.started));
    expect(readdirSync(bench.path("processes"))).toHaveLength(1);
    await other.close();
  });

  it("is unchanged where there is no containment", () => {
    const command = bench.sh("true");
    expect(containCommand(command, { kind: "none", why: "absent" })).toBe(command);
  });

  it("keeps the agent's arguments apart from bubblewrap's own", () => {
    const contained = containCommand(
      { ...bench.sh(""), file: "agent", args: ["--bind", "/"] },
      { kind: "bubblewrap", file: "/usr/bin/bwrap" },
    );
    expect(contained.args.slice(contained.args.indexOf("--"))).toEqual(["--", "agent", "--bind", "/"]);
    expect(contained.args).toContain("--die-with-parent");
  });

  it.each(["inline", "process"] as const)("lets the agent end in its own way on SIGTERM (%s)", async (mode) => {
    const other = createSpawner({ mode });
    const agent = bench.sh("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done");
    const child = other.spawn(containCommand(agent, standIn()));
    await child.firstOutput;
    expect([await child.stop(), await readAll(child)]).toEqual([
      { kind: "exited", code: 7, signal: null },
      "up\nbye\n",
    ]);
    await other.close();
  });

  it("kills the whole of it when the agent does not heed SIGTERM", async () => {
    const agent = bench.sh("trap '' TERM; note; while :; do sleep 60; done");
    const child = spawner.spawn(containCommand(agent, standIn()));
    await eventually(() => bench.noted() === 1, "the agent runs");
    expect(await child.stop({ graceMs: 100 })).toEqual({ kind: "exited", code: null, signal: "SIGKILL" });
  });

  it.each(["inline", "process"] as const)("tells bubblewrap's failure from the agent's (%s)", async (mode) => {
    const other = createSpawner({ mode });
    const file = bench.program("bwrap", "#!/bin/sh\necho 'Creating new namespace failed' >&2; exit 1\n");
    const child = other.spawn(containCommand(bench.sh("true"), { kind: "bubblewrap", file }));
    expect(await child.exit).toMatchObject({ kind: "failed-to-start", error: { code: "sandbox-unavailable" } });
    expect(child.stderrTail()).toBe("Creating new namespace failed\n");
    expect(await other.spawn(containCommand(bench.sh("exit 1"), standIn())).exit).toEqual({
      kind: "exited",
      code: 1,
      signal: null,
    });
    await other.close();
  });

  it("runs where bubblewrap has nothing to report to, and its exit is then the agent's", async () => {
    const { stdio, reaper } = { stdio: ["ignore", "ignore", "ignore"] as const, reaper: createStrayReaper() };
    const statuses = new StatusFiles(bench.path("nowhere"));
    const command = containCommand(bench.sh("exit 1"), standIn());
    const started = await startProcess(command, { stdio, mark: "contained-test", reaper, statuses });
    expect(await started.exited).toEqual({ kind: "exited", code: 1, signal: null });
  });

  it("is not killed by the SIGCONT behind a SIGTERM that its agent has died of", async () => {
    const { stdio, reaper } = { stdio: ["ignore", "ignore", "ignore"] as const, reaper: createStrayReaper() };
    const agent = bench.sh(`note; while [ ! -e ${bench.path("end")} ]; do sleep 0.05; done; exit 7`);
    const statuses = new StatusFiles(bench.directory);
    const started = await startProcess(containCommand(agent, standIn()), { stdio, mark: "sigcont", reaper, statuses });
    await eventually(() => bench.noted() === 1, "the agent runs");
    // Kept from leaving, it is what it otherwise is for a moment: a container whose agent has ended.
    process.kill(started.identity.pid, "SIGSTOP");
    writeFileSync(bench.path("end"), "");
    await eventually(() => bench.survivors().length === 0, "the agent has ended");
    started.signal("SIGCONT");
    // The signal may have gone to the agent, which is not waited for yet; the container was stopped by this test alone.
    spawnSync("kill", ["-CONT", String(started.identity.pid)]);
    expect(await started.exited).toEqual({ kind: "exited", code: 7, signal: null });
    statuses.close();
  });

  it.skipIf(real.kind === "none")("leaves nothing behind under the real bubblewrap", async () => {
    const agent = bench.sh("trap 'exit 7' TERM; (setsid sleep 60 &) ; echo up; while :; do sleep 0.05; done");
    const child = spawner.spawn(containCommand(agent, real));
    await child.firstOutput;
    expect(await child.stop()).toEqual({ kind: "exited", code: 7, signal: null });
  });
});
