import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import type { ChildCommand, ChildHandle } from "../child-handle.ts";
import { type Containment, containCommand, probeContainment } from "../containment.ts";
import {
  countDescriptors,
  createWorkbench,
  pidOf,
  readAll,
  testEnv,
  type Workbench,
  waitingSeats,
} from "../testing/workbench.ts";
import { createSpawner } from "./create-spawner.ts";
import { ProcessSpawner } from "./process-spawner.ts";
import { primingLine, seatCommandOf, seatWordsOf, startLine } from "./seat.ts";
import { streamNames } from "./spawner-messages.ts";

const SEATS = 2;
const probing = createSpawner({ mode: "inline" });
const containment: Containment = await probeContainment({ spawner: probing, env: testEnv });
await probing.close();

let bench: Workbench;
let spawner: ProcessSpawner;

beforeEach(() => {
  bench = createWorkbench();
  spawner = new ProcessSpawner({
    socketDir: bench.directory,
    registryDir: bench.path("processes"),
    seats: SEATS,
    mostSeats: SEATS,
  });
});
afterEach(async () => {
  await spawner.close();
  expect(waitingSeats(process.pid)).toEqual([]);
  bench.remove();
});

const seated = (command: ChildCommand): ChildHandle => spawner.spawn(command, { seated: true });

/** After one command like this, seats for it are made. */
async function fill(command: ChildCommand): Promise<readonly number[]> {
  await seated(command).exit;
  await eventually(() => spawner.seats === SEATS, "all seats wait");
  return waitingSeats(process.pid);
}

describe("a seat", () => {
  it("becomes the command: the same process, no other one", async () => {
    const seats = await fill(bench.sh("true"));
    const child = seated(bench.sh("echo $$"));
    expect(seats).toContain(Number(await readAll(child)));
    expect(seats).toContain(pidOf(child));
  });

  it("is used once, and another takes its place", async () => {
    const seats = await fill(bench.sh("true"));
    await seated(bench.sh("true")).exit;
    await eventually(() => spawner.seats === SEATS, "the seats are filled up");
    const kept = waitingSeats(process.pid).filter((pid) => seats.includes(pid));
    expect(kept).toHaveLength(SEATS - 1);
  });

  it("waits for each of as many agents as were started at once, up to a limit, and starts one like them by two words", async () => {
    const other = new ProcessSpawner({ socketDir: bench.directory, seats: 1, mostSeats: 3 });
    try {
      const start = (): Promise<string> => readAll(other.spawn(bench.sh("echo up"), { seated: true }));
      await start();
      await eventually(() => other.seats === 1, "one seat waits");
      await Promise.all(Array.from({ length: 5 }, start));
      await eventually(() => other.seats === 3, "three seats wait");
      expect(await Promise.all([start(), start(), start(), start()])).toEqual(["up\n", "up\n", "up\n", "up\n"]);
    } finally {
      await other.close();
    }
  });

  it("that cannot become the agent takes nothing of the agent's input for a command", () => {
    const command = { ...bench.sh("true"), cwd: bench.path("gone") };
    const shell = seatCommandOf(command);
    const words = seatWordsOf(command, "exec") ?? "";
    const touch = `touch ${bench.path("owned")}\n`;
    for (const primed of [words, undefined])
      spawnSync(shell?.file ?? "", shell?.args, {
        input: primingLine(primed) + startLine(words, primed) + touch + touch,
      });
    expect(readdirSync(bench.directory)).not.toContain("owned");
  });

  it("passes every word literally", async () => {
    await fill(bench.node(""));
    const args = ["--force", "'", "''", "a'b\"c", "$HOME `id` $(id) \\", "*", "~", "", "é€😀", "a\tb", "#", ";", "!x"];
    const script = "process.stdout.write(JSON.stringify([process.cwd(), ...process.argv.slice(1)]))";
    const command = { ...bench.node(script), args: ["-e", script, "--", ...args] };
    expect(JSON.parse(await readAll(seated(command)))).toEqual([bench.directory, ...args]);
  });

  it("works in a directory whose name reads like a command, and runs none of it", async () => {
    const directory = bench.path("a'; touch owned; '$(touch owned)\n`touch owned` \"x");
    mkdirSync(directory);
    await fill(bench.sh("true"));
    const printed = await readAll(seated({ ...bench.sh("pwd"), cwd: directory }));
    expect({ printed, left: readdirSync(directory) }).toEqual({ printed: `${directory}\n`, left: [] });
  });

  it("works in the directory that the kernel finds, not in the one that a shell would", async () => {
    mkdirSync(bench.path("a/b"), { recursive: true });
    for (const name of ["a/here", "here"]) mkdirSync(bench.path(name));
    symlinkSync(bench.path("a/b"), bench.path("link"));
    await fill(bench.sh("true"));
    const cwd = `${bench.path("link")}/../here`;
    expect(await readAll(seated({ ...bench.sh("pwd -P"), cwd }))).toBe(`${bench.path("a/here")}\n`);
  });

  it("gives its agent all of standard input behind the line, byte for byte", async () => {
    await fill(bench.sh("true"));
    const content = `first line\n'quoted'\n${"x".repeat(200_000)}\nno newline at the end`;
    expect(await readAll(seated(bench.sh("cat", { content })))).toBe(content);
  });

  it("leaves no descriptor open of a command whose standard input is closed", async () => {
    const runSome = async (): Promise<number> => {
      for (let count = 0; count < 5; count += 1) await fill(bench.sh("echo x", "closed"));
      return countDescriptors(process.pid);
    };
    const before = await runSome();
    await runSome();
    await eventually(() => countDescriptors(process.pid) <= before, "the descriptors are closed", 5_000);
  });

  it("leaves no descriptor open of the shells that found out how a seat gives way", async () => {
    const before = countDescriptors(process.pid);
    await fill(bench.sh("true", "held"));
    const ofSeats = SEATS * streamNames.length;
    await eventually(() => countDescriptors(process.pid) <= before + ofSeats, "the descriptors are closed", 5_000);
  });

  it("never serves a command with another environment", async () => {
    const first = { ...bench.sh("true"), env: { ...testEnv, KEY: "of the first turn" } };
    const seats = await fill(first);
    const child = seated({ ...bench.sh("env"), env: testEnv });
    expect(await readAll(child)).not.toContain("KEY=");
    expect(seats).not.toContain(pidOf(child));
    await eventually(() => waitingSeats(process.pid).every((pid) => !seats.includes(pid)), "the first turn's are gone");
  });

  it("that is killed while it waits is replaced by an ordinary start", async () => {
    const seats = await fill(bench.sh("true"));
    for (const pid of seats) process.kill(pid, "SIGKILL");
    await eventually(() => spawner.seats === 0, "their ends are known");
    expect(await readAll(seated(bench.sh("echo up")))).toBe("up\n");
  });

  it("is written down while it waits, and no longer", async () => {
    const entries = (): readonly string[] => readdirSync(bench.path("processes"));
    await fill(bench.sh("true"));
    // The entry of the shell that determined how a seat passes its environment on is removed a moment after its exit.
    await eventually(() => entries().length === SEATS, "only the seats have entries");
    await spawner.close();
    expect(entries()).toEqual([]);
  });

  it("does not keep the gateway from ending by itself, and ends with it", async () => {
    writeFileSync(
      bench.path("gateway.ts"),
      `import { ProcessSpawner } from ${JSON.stringify(new URL("./process-spawner.ts", import.meta.url).href)};
      const spawner = new ProcessSpawner({ socketDir: ${JSON.stringify(bench.directory)}, seats: 1 });
      await spawner.spawn(${JSON.stringify(bench.sh("true"))}, { seated: true }).exit;
      while (spawner.seats === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      console.log(spawner.seats);`,
    );
    const gateway = spawn(process.execPath, [bench.path("gateway.ts")], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void gateway.kill("SIGKILL"));
    const printed = text(gateway.stdout);
    expect([await once(gateway, "exit"), await printed]).toEqual([[0, null], "1\n"]);
  }, 30_000);

  it("is ended by a close even when the spawner is stuck", async () => {
    await fill(bench.sh("true"));
    process.kill(pidOf(spawner), "SIGSTOP");
    await spawner.close();
    await eventually(() => waitingSeats(process.pid).length === 0, "the seats are gone");
  });

  it("is not made for a command that is not to be seated", async () => {
    await spawner.spawn(bench.sh("true")).exit;
    await readAll(spawner.spawn(bench.sh("sleep 0.2")));
    expect(spawner.seats).toBe(0);
  });

  it.runIf(containment.kind === "bubblewrap")("inside a container becomes an agent that dies with it", async () => {
    const contain = (command: ChildCommand): ChildCommand => containCommand(command, containment);
    await fill(contain(bench.sh("true")));
    const child = seated(contain(bench.sh("setsid sleep 60 & echo $$; sleep 60")));
    await child.firstOutput;
    await child.stop({ graceMs: 0 });
    // Its first process is number 2 of a namespace of its own: bubblewrap is number 1.
    expect(await readAll(child)).toBe("2\n");
  });

  it.runIf(containment.kind === "bubblewrap")("is not made for a container that covers files", async () => {
    for (const name of ["file", "empty"]) writeFileSync(bench.path(name), name);
    const covered = [{ path: bench.path("file"), by: bench.path("empty") }];
    const command = (script: string): ChildCommand => containCommand({ ...bench.sh(script), covered }, containment);
    await fill(containCommand(bench.sh("true"), containment));
    // A seat waits for us as soon as its container is being made.
    await eventually(() => waitingSeats(process.pid).length === SEATS, "their shells run");
    const seats = waitingSeats(process.pid);
    expect(await readAll(seated(command(`cat ${bench.path("file")}; sleep 0.2`)))).toBe("empty");
    expect(waitingSeats(process.pid)).toEqual(seats);
  });
});

/** Runs its command like a container and records that; while the file `broken` exists, it fails. */
function containerOf({ file, args, ...rest }: ChildCommand): ChildCommand {
  const container = bench.path("container");
  const script = `#!/bin/sh\necho x >> ${bench.path("made")}\n[ ! -e ${bench.path("broken")} ] && exec "$@"\n`;
  if (!existsSync(container)) bench.program("container", script);
  return { ...rest, file: container, args: [file, ...args], contained: { file, args } };
}

describe("a container that cannot be made", () => {
  const made = (): number => readFileSync(bench.path("made"), "utf8").length / 2;
  const set = (isBroken: boolean): void =>
    isBroken ? writeFileSync(bench.path("broken"), "") : rmSync(bench.path("broken"));

  it("leaves seats to later turns, when it can be made again", async () => {
    const command = containerOf(bench.sh("true"));
    set(true);
    await seated(command).exit;
    await eventually(() => made() > 1, "the first seat was tried");
    await readAll(spawner.spawn(bench.sh("sleep 0.2")));
    set(false);
    await seated(command).exit;
    await eventually(() => spawner.seats === SEATS, "all seats wait", 3_000);
  });

  it("is not tried again and again after a burst", async () => {
    const other = new ProcessSpawner({ socketDir: bench.directory, seats: 1, mostSeats: 8 });
    try {
      const start = () => other.spawn(containerOf(bench.sh("true")), { seated: true }).exit;
      await start();
      await eventually(() => other.seats === 1, "a seat waits");
      const children = Array.from({ length: 8 }, start);
      set(true);
      await Promise.all(children);
      await readAll(other.spawn(bench.sh("sleep 0.3")));
      const before = made();
      await readAll(other.spawn(bench.sh("sleep 0.5")));
      // One that was being made meanwhile may be counted: at every pace there would be one.
      expect(made() - before).toBeLessThan(3);
    } finally {
      await other.close();
    }
  });
});
