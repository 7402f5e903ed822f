import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { isAlive, readProcessStat } from "../process-identity.ts";
import { sweepLeftovers } from "../sweep-leftovers.ts";
import { countDescriptors, createWorkbench, pidOf, readAll, type Workbench } from "../testing/workbench.ts";
import { ProcessSpawner } from "./process-spawner.ts";

let bench: Workbench;
let spawner: ProcessSpawner;

beforeEach(() => {
  bench = createWorkbench();
  spawner = new ProcessSpawner({ socketDir: bench.directory, registryDir: bench.path("processes") });
});
afterEach(async () => {
  await spawner.close();
  await eventually(() => bench.survivors().length === 0, "nothing of the children is left");
  bench.remove();
});

const socketDirectory = (): string => {
  const name = readdirSync(bench.directory).find((entry) => entry.startsWith("caret-"));
  return join(bench.directory, name ?? "none");
};
const socketPath = (): string => join(socketDirectory(), "streams");

/** Trees with a member that leaves the group and ignores polite signals. */
const tree = (): string => {
  const stray = bench.program("stray", `#!/bin/sh\ntrap '' TERM HUP\necho $$ >> ${bench.path("pids")}\nsleep 60\n`);
  return `note; setsid ${stray} & ${stray} & wait`;
};

/** A gateway in a separate process, which starts two trees and then waits. */
function startGateway(mode: string, commands = [bench.sh(tree()), bench.sh(tree())]): ChildProcess {
  writeFileSync(
    bench.path("gateway.ts"),
    `import { createSpawner } from ${JSON.stringify(new URL("./create-spawner.ts", import.meta.url).href)};
    const spawner = createSpawner(${JSON.stringify({ mode, dataDir: bench.directory, socketDir: bench.directory })});
    for (const command of ${JSON.stringify(commands)}) spawner.spawn(command);
    setInterval(() => undefined, 1_000);`,
  );
  const gateway = spawn(process.execPath, [bench.path("gateway.ts")], { stdio: "ignore" });
  onTestFinished(() => void gateway.kill("SIGKILL"));
  return gateway;
}

function childrenOf(parent: number): readonly number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => readProcessStat(pid)?.parentPid === parent);
}

describe("the spawner process", () => {
  it("kills every tree and leaves when the gateway is killed, and clears its socket away", async () => {
    await spawner.close();
    const gateway = startGateway("process");
    await eventually(() => bench.noted() === 6, "both trees have grown");
    gateway.kill("SIGKILL");
    await eventually(() => bench.survivors().length === 0, "the trees are gone");
    await eventually(() => !existsSync(socketDirectory()), "the socket is gone");
    expect(readdirSync(bench.path("processes"))).toEqual([]);
  });

  it("kills every tree when it has something to report to a gateway that was killed", async () => {
    await spawner.close();
    // The first one exits at once: what it left behind is looked for half a second later, and that is reported.
    const gateway = startGateway("process", [bench.sh("true"), bench.sh(tree()), bench.sh(tree())]);
    await eventually(() => bench.noted() === 6, "both trees have grown");
    const [pid = 0] = childrenOf(pidOf(gateway));
    const identity = { pid, startTime: readProcessStat(pid)?.startTime };
    process.kill(pid, "SIGSTOP");
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
    // Its timer is due by then: on waking it reports before it reads that the channel is closed.
    await sleep(1_000);
    process.kill(pid, "SIGCONT");
    await eventually(() => !isAlive(identity), "the spawner is gone");
    await eventually(() => bench.survivors().length === 0, "the trees are gone", 5_000);
  });

  it("is replaced when it dies: its children are killed and reported as ended, and the next child starts", async () => {
    const child = spawner.spawn(bench.sh(tree(), "held"));
    await Promise.all([child.started, eventually(() => bench.noted() === 3, "the tree has grown")]);
    const died = pidOf(spawner);
    process.kill(died, "SIGKILL");
    expect(await child.exit).toMatchObject({ kind: "lost", error: { code: "killed", retryable: true } });
    await eventually(() => bench.survivors().length === 0, "the tree is gone", 2_000);
    expect(await readAll(spawner.spawn(bench.sh("echo again")))).toBe("again\n");
    expect(spawner.pid).not.toBe(died);
    await eventually(() => readdirSync(bench.path("processes")).length === 0, "no entry is left");
  });

  it("is not started in vain where its socket can have no directory", async () => {
    const directory = bench.path("sockets");
    mkdirSync(directory);
    const other = new ProcessSpawner({ socketDir: directory });
    try {
      await readAll(other.spawn(bench.sh("true")));
      process.kill(pidOf(other), "SIGKILL");
      await eventually(() => other.pid === undefined, "it is gone");
      const before = childrenOf(process.pid);
      rmSync(directory, { recursive: true });
      expect((await other.spawn(bench.sh("true")).exit).kind).toBe("failed-to-start");
      expect(childrenOf(process.pid)).toEqual(before);
      mkdirSync(directory);
      expect(await readAll(other.spawn(bench.sh("echo again")))).toBe("again\n");
    } finally {
      await other.close();
    }
  });

  it("tells a start that it was busy with when it died", async () => {
    process.kill(pidOf(spawner), "SIGKILL");
    expect(await spawner.spawn(bench.sh("note")).exit).toMatchObject({
      kind: "failed-to-start",
      error: { code: "agent-unavailable", retryable: true },
    });
  });

  it("does not keep a stop from ending when it is stuck itself", async () => {
    const child = spawner.spawn(bench.sh("note; sleep 60"), { abandonMs: 50, drainMs: 50 });
    await Promise.all([child.started, eventually(() => bench.noted() === 1, "the child runs")]);
    process.kill(pidOf(spawner), "SIGSTOP");
    try {
      expect(await child.stop({ graceMs: 0 })).toMatchObject({ kind: "lost", error: { code: "killed" } });
    } finally {
      process.kill(pidOf(spawner), "SIGCONT");
    }
  });

  it("has its children killed for it while it is stuck, and works when it goes on", async () => {
    const child = spawner.spawn(bench.sh("trap '' TERM; note; sleep 60 & wait; sleep 60"));
    await Promise.all([child.started, eventually(() => bench.noted() === 1, "the child runs")]);
    process.kill(pidOf(spawner), "SIGSTOP");
    try {
      expect(await child.stop({ graceMs: 100 })).toEqual({ kind: "exited", code: null, signal: "SIGKILL" });
      expect(bench.survivors()).toEqual([]);
    } finally {
      process.kill(pidOf(spawner), "SIGCONT");
    }
    expect(await readAll(spawner.spawn(bench.sh("echo again")))).toBe("again\n");
  }, 15_000);

  it("does not keep a start that is not wanted any more waiting while it is stuck", async () => {
    process.kill(pidOf(spawner), "SIGSTOP");
    try {
      const child = spawner.spawn(bench.sh("note"));
      expect(await child.stop({ graceMs: 100 })).toMatchObject({ kind: "failed-to-start" });
    } finally {
      process.kill(pidOf(spawner), "SIGCONT");
    }
    expect(await readAll(spawner.spawn(bench.sh("echo again")))).toBe("again\n");
    await eventually(() => bench.survivors().length === 0, "nothing is left of it");
  }, 15_000);

  it("does not keep a close from ending when it is stuck itself", async () => {
    const child = spawner.spawn(bench.sh("note; sleep 60"));
    await Promise.all([child.started, eventually(() => bench.noted() === 1, "the child runs")]);
    process.kill(pidOf(spawner), "SIGSTOP");
    await spawner.close();
    expect(await child.exit).toMatchObject({ kind: "lost", error: { code: "killed" } });
  }, 15_000);

  it("outlives an entry of a process that it cannot remove", async () => {
    const [child, other] = [spawner.spawn(bench.sh("cat", "held")), spawner.spawn(bench.sh("cat", "held"))];
    await Promise.all([child.started, other.started]);
    const { pid } = spawner;
    for (const entry of readdirSync(bench.path("processes"))) {
      rmSync(join(bench.path("processes"), entry));
      mkdirSync(join(bench.path("processes"), entry));
    }
    await child.stop();
    await other.writeStdin("still here");
    await other.endStdin();
    expect([await readAll(other), spawner.pid]).toEqual(["still here", pid]);
  });

  it("stays when a signal meant for the gateway reaches it", async () => {
    const child = spawner.spawn(bench.sh("note; read line; echo $line", "held"));
    await eventually(() => bench.noted() === 1, "the child runs");
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(pidOf(spawner), signal);
    await child.writeStdin("alive\n");
    expect(await readAll(child)).toBe("alive\n");
  });

  it("is in a group of its own and knows nothing of our environment", async () => {
    const child = spawner.spawn(bench.sh("tr '\\0' '\\n' < /proc/$PPID/environ | cut -d= -f1 | sort | tr '\\n' ' '"));
    expect((await readAll(child)).trim()).toMatch(
      /^NODE_CHANNEL_FD( NODE_CHANNEL_SERIALIZATION_MODE)?( NODE_COMPILE_CACHE)?$/,
    );
    expect(readProcessStat(pidOf(spawner))?.groupId).toBe(spawner.pid);
  });

  it("keeps no descriptor of a child that has ended", async () => {
    const runSome = (): Promise<string[]> =>
      Promise.all(Array.from({ length: 10 }, () => readAll(spawner.spawn(bench.sh("echo x", { content: "y" })))));
    await runSome();
    const before = countDescriptors(pidOf(spawner));
    await runSome();
    await runSome();
    await eventually(() => countDescriptors(pidOf(spawner)) <= before, "the descriptors are closed");
  });

  it("is gone after close, and so is its socket", async () => {
    await readAll(spawner.spawn(bench.sh("echo up")));
    const pid = pidOf(spawner);
    const identity = { pid, startTime: readProcessStat(pid)?.startTime };
    await spawner.close();
    expect({ isAlive: isAlive(identity), isSocketThere: existsSync(socketDirectory()) }).toEqual({
      isAlive: false,
      isSocketThere: false,
    });
  });
});

describe("a spawner process that is forked ahead", () => {
  it.each([
    ["process", "agent-unavailable"],
    ["inline", "exited"],
  ])("and could not be started does not end the gateway (%s)", async (mode, expected) => {
    const url = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
    writeFileSync(
      bench.path("gateway.ts"),
      `import { createSpawner } from ${url("./create-spawner.ts")};
      import { forkSpawner } from ${url("./fork-spawner.ts")};
      process.execPath = "/nowhere/node";
      const forked = forkSpawner();
      while (forked.connected) await new Promise((resolve) => setTimeout(resolve, 5));
      const spawner = createSpawner({ ...${JSON.stringify({ mode, socketDir: bench.directory })}, forked });
      const exit = await spawner.spawn(${JSON.stringify(bench.sh("true"))}).exit;
      console.log(exit.error?.code ?? exit.kind);
      await spawner.close();`,
    );
    const gateway = spawn(process.execPath, [bench.path("gateway.ts")], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void gateway.kill("SIGKILL"));
    const printed = text(gateway.stdout);
    expect([await once(gateway, "exit"), await printed]).toEqual([[0, null], `${expected}\n`]);
  });
});

describe("the stream socket", () => {
  it("can be reached by nobody but this user, whatever the umask", async () => {
    await eventually(() => existsSync(socketPath()) && (statSync(socketPath()).mode & 0o777) === 0o600, "it listens");
    expect(statSync(socketDirectory()).mode & 0o777).toBe(0o700);
  });
});

describe("without a spawner process", () => {
  it("leaves trees behind when the gateway is killed, which is what the sweep is for", async () => {
    const gateway = startGateway("inline");
    await eventually(() => bench.noted() === 6, "both trees have grown");
    await eventually(() => readdirSync(bench.path("processes")).length === 2, "both are written down");
    expect(sweepLeftovers(bench.path("processes"))).toEqual({ entries: 0, killed: 0 });
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
    expect(bench.survivors().length).toBe(6);
    expect(sweepLeftovers(bench.path("processes")).entries).toBe(2);
    await eventually(() => bench.survivors().length === 0, "the trees are gone");
    expect(readdirSync(bench.path("processes"))).toEqual([]);
  });
});
