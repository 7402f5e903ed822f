import { closeSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import type { ChildCommand, ChildExit, Spawner } from "../child-handle.ts";
import { readProcessStat } from "../process-identity.ts";
import { PROCESS_MARK } from "../sweep-leftovers.ts";
import {
  countDescriptors,
  createWorkbench,
  foreignDescriptors,
  pidOf,
  readAll,
  testEnv,
  type Workbench,
  waitingSeats,
} from "../testing/workbench.ts";
import { type CreateSpawnerOptions, createSpawner } from "./create-spawner.ts";
import { streamNames } from "./spawner-messages.ts";

type SpawnerMode = "inline" | "process" | "seated";

const SEATS = 2;
const SEAT_DESCRIPTORS = SEATS * streamNames.length;
const exited = (code: number): ChildExit => ({ kind: "exited", code, signal: null });
const killedBy = (signal: NodeJS.Signals): ChildExit => ({ kind: "exited", code: null, signal });

/** The contract of every spawner, wherever its children are started. */
export function describeSpawner(mode: SpawnerMode): void {
  describe(`a child started by the ${mode} spawner`, () => {
    const create = (options: Partial<CreateSpawnerOptions> = {}): Spawner =>
      mode === "seated"
        ? seating(createSpawner({ mode: "process", seats: SEATS, mostSeats: SEATS, ...options }))
        : createSpawner({ mode, ...options });
    let spawner: Spawner;
    let bench: Workbench;

    beforeAll(() => {
      spawner = create();
    });
    afterAll(() => spawner.close());
    beforeEach(async () => {
      bench = createWorkbench();
      if (mode !== "seated") return;
      // Whatever the previous test was, seats are from now on made for commands like this one.
      await spawner.spawn(bench.sh("true")).exit;
      await eventually(() => waitingSeats(process.pid).length > 0, "a seat waits");
    });
    afterEach(async () => {
      await eventually(() => bench.survivors().length === 0, "nothing of the child is left");
      bench.remove();
    });

    const failureOf = async (command: ChildCommand): Promise<string> => {
      const exit = await spawner.spawn(command).exit;
      return exit.kind === "failed-to-start" ? exit.error.code : exit.kind;
    };
    const program = (file: string, args: readonly string[] = []): ChildCommand => ({
      file,
      args,
      cwd: bench.directory,
      env: testEnv,
      stdin: "closed",
    });

    describe("starting", () => {
      it("names the program that does not exist", async () => {
        const exit = await spawner.spawn(program("/nowhere/agent")).exit;
        expect(exit).toMatchObject({
          kind: "failed-to-start",
          error: { code: "cli-missing", message: expect.stringContaining("/nowhere/agent"), retryable: false },
        });
      });

      it("blames the workspace, not the program, when the workspace is missing or a file", async () => {
        writeFileSync(bench.path("file"), "");
        expect([
          await failureOf({ ...program("/bin/true"), cwd: bench.path("gone") }),
          await failureOf({ ...program("/bin/true"), cwd: bench.path("file") }),
        ]).toEqual(["workspace-missing", "workspace-missing"]);
      });

      it("says that a file is not executable", async () => {
        writeFileSync(bench.path("agent"), "#!/bin/sh\n", { mode: 0o644 });
        expect(await failureOf(program(bench.path("agent")))).toBe("cli-not-executable");
      });

      it("says that a prompt is too long to be an argument", async () => {
        expect(await failureOf(program("/bin/true", ["x".repeat(131_072)]))).toBe("prompt-too-long");
      });

      // A seat cannot retry: the lane does.
      if (mode !== "seated")
        it("waits for a program that is just being updated", async () => {
          const agent = bench.program("agent", readFileSync("/bin/true", "latin1"));
          writeFileSync(agent, readFileSync("/bin/true"));
          const update = openSync(agent, "r+");
          const child = spawner.spawn(program(agent));
          setTimeout(() => closeSync(update), 20);
          expect(await child.exit).toEqual(exited(0));
        });

      it("gives up on a program that stays open for writing, and calls that a passing state", async () => {
        const agent = bench.program("agent", "");
        writeFileSync(agent, readFileSync("/bin/true"));
        const update = openSync(agent, "r+");
        expect(await spawner.spawn(program(agent)).exit).toMatchObject({
          kind: "failed-to-start",
          error: { code: "agent-unavailable", retryable: true },
        });
        closeSync(update);
      });

      it("treats a path through a file, and a loop of links, as a missing program", async () => {
        writeFileSync(bench.path("file"), "");
        symlinkSync(bench.path("loop"), bench.path("loop"));
        expect([
          await failureOf(program(bench.path("file/agent"))),
          await failureOf(program(bench.path("loop"))),
        ]).toEqual(["cli-missing", "cli-missing"]);
      });

      it("recognises a file that is no program, and a script without its interpreter", async () => {
        bench.program("junk", "\u0001\u0002)(junk\n");
        bench.program("text", "no-such-command-anywhere\n");
        bench.program("script", "#!/nowhere/interpreter\n");
        expect([
          await failureOf(program(bench.path("junk"))),
          await failureOf(program(bench.path("text"))),
          await failureOf(program(bench.path("script"))),
        ]).toEqual(["cli-broken", "cli-broken", "cli-broken"]);
      });

      it("refuses a NUL character before anything is started", async () => {
        expect(await failureOf(program("/bin/echo", ["a\0b"]))).toBe("invalid-request");
      });

      it("passes every argument literally, whatever it begins with", async () => {
        const args = ["--force", "-", "--", "@file", '$HOME `id` "quoted"\nnew line', ""];
        const child = spawner.spawn({
          ...bench.node("process.stdout.write(JSON.stringify(process.argv.slice(1)))"),
          args: ["-e", "process.stdout.write(JSON.stringify(process.argv.slice(1)))", "--", ...args],
        });
        expect(JSON.parse(await readAll(child))).toEqual(args);
      });

      it("leaves nothing running when it is stopped while it starts", async () => {
        const children = Array.from({ length: 8 }, () => spawner.spawn(bench.sh("note; sleep 60")));
        const exits = await Promise.all(
          children.map(async (child, index) => {
            for (let turn = 0; turn < index; turn += 1) await new Promise((resolve) => setImmediate(resolve));
            return child.stop({ reason: "cancelled" });
          }),
        );
        expect(exits.every((exit) => exit.kind !== "lost")).toBe(true);
        expect(bench.survivors()).toEqual([]);
      });
    });

    describe("what a child gets", () => {
      it("gives the child exactly the environment that was chosen, and its mark", async () => {
        const child = spawner.spawn({ ...program("/usr/bin/env"), env: { ONLY: "this" } });
        const lines = (await readAll(child)).trim().split("\n");
        expect(lines).toEqual(["ONLY=this", expect.stringMatching(`^${PROCESS_MARK}=`)]);
      });

      it("hands no open descriptor of ours to the child", async () => {
        const file = openSync(bench.path("secret"), "w");
        const listing = await readAll(spawner.spawn(program("/bin/ls", ["-l", "/proc/self/fd"])));
        expect({ hasStderr: listing.includes("2 -> "), foreign: foreignDescriptors(listing) }).toEqual({
          hasStderr: true,
          foreign: [],
        });
        closeSync(file);
      });

      it("puts the child into a group of its own and leaves its umask alone", async () => {
        const umask = process.umask().toString(8).padStart(4, "0");
        const child = spawner.spawn(bench.sh("umask; note; sleep 60"));
        await Promise.all([child.started, eventually(() => bench.noted() === 1, "the child runs")]);
        expect(readProcessStat(pidOf(child))?.groupId).toBe(child.pid);
        await child.stop({ graceMs: 0 });
        expect((await readAll(child)).trim()).toBe(umask);
      });

      it("ends standard input at once when it is closed", async () => {
        expect(await readAll(spawner.spawn(bench.sh("cat; echo end")))).toBe("end\n");
      });

      it("writes the content of standard input, also when it reads like one of our words", async () => {
        expect(await readAll(spawner.spawn(bench.sh("cat", { content: "held" })))).toBe("held");
      });
    });

    describe("streams", () => {
      it("answers a child that is asked and asked again", async () => {
        const child = spawner.spawn(bench.sh("read a; echo got $a; read b; echo got $b", "held"));
        const output = readAll(child);
        expect({
          first: await child.writeStdin("one\n"),
          firstOutput: await child.firstOutput,
          second: await child.writeStdin("two\n"),
        }).toEqual({ first: "written", firstOutput: true, second: "written" });
        expect([await output, await child.exit]).toEqual(["got one\ngot two\n", exited(0)]);
      });

      it("does not deadlock on a large prompt for a child that floods its output first", async () => {
        const flood = `process.stdout.write("y".repeat(4e6), () => process.stdin.on("data", c => n += c.length)
        .on("end", () => process.stdout.write("read " + n))); let n = 0;`;
        const child = spawner.spawn(bench.node(flood, { content: "p".repeat(512 * 1024) }));
        expect((await readAll(child)).slice(4e6)).toBe(`read ${512 * 1024}`);
      });

      it("gives a child a long text whole, whatever characters its slices meet in", async () => {
        const texts = [0, 1, 2, 3].map((before) => `${"a".repeat(before)}${"ä🔑".repeat(50_000)}`);
        const echoed = texts.map((content) => readAll(spawner.spawn(bench.sh("cat", { content }))));
        expect((await Promise.all(echoed)).map((text, index) => text === texts[index])).toEqual([
          true,
          true,
          true,
          true,
        ]);
      });

      it("keeps the last bytes of a child that exits at once, for a reader who comes late", async () => {
        const child = spawner.spawn(
          bench.node(`require("fs").writeSync(1, "z".repeat(200000) + "end"); process.exit(3)`),
        );
        expect(await child.exit).toEqual(exited(3));
        expect((await readAll(child)).slice(-4)).toBe("zend");
      });

      it("slows down a child that is not read, and loses nothing of it", async () => {
        const script = "head -c 20000000 /dev/zero; note";
        const child = spawner.spawn(bench.sh(script), { readAheadBytes: 64 * 1024 });
        await child.firstOutput;
        expect(bench.noted()).toBe(0);
        expect((await readAll(child)).length).toBe(20_000_000);
        expect(bench.noted()).toBe(1);
      });

      it("keeps only the tail of a flood on standard error, and none of it as output", async () => {
        const child = spawner.spawn(
          bench.sh('head -c 30000000 /dev/zero >&2; echo \'{"type":"result"}\' >&2; echo out'),
        );
        expect([await readAll(child), await child.exit]).toEqual(["out\n", exited(0)]);
        expect(child.stderrTail().length).toBe(64 * 1024);
        expect(child.stderrTail().endsWith('{"type":"result"}\n')).toBe(true);
      });

      it("takes a child that closed its input for an outcome, not an exception", async () => {
        const child = spawner.spawn(bench.sh("exec 0<&-; echo closed; sleep 60", "held"));
        await child.firstOutput;
        expect([await child.writeStdin("x".repeat(1e6)), await child.writeStdin("more"), child.stdinTrouble]).toEqual([
          "broken",
          "broken",
          "broken",
        ]);
        await child.stop();
      });

      it("gives up writing to a child that never reads", async () => {
        const child = spawner.spawn(bench.sh("note; sleep 60", "held"), { writeStallMs: 100 });
        expect([await child.writeStdin("x".repeat(4e6)), child.stdinTrouble]).toEqual(["timed-out", "timed-out"]);
        await child.stop();
      });

      it("ends the output of a child that closed it and lives on", async () => {
        const child = spawner.spawn(bench.sh("note; echo last; exec 1>&-; sleep 60"));
        expect(await readAll(child)).toBe("last\n");
        expect(bench.survivors().length).toBe(1);
        expect(await child.stop()).toEqual(killedBy("SIGTERM"));
      });
    });

    describe("ending", () => {
      it("does not wait for a grandchild that holds the output open, and kills it", async () => {
        const child = spawner.spawn(bench.sh("(note; sleep 60) & sleep 0.1; echo done; exit 4"), { drainMs: 200 });
        expect([await readAll(child), await child.exit]).toEqual(["done\n", exited(4)]);
      });

      it("kills what left the group of the child, after the child has exited", async () => {
        const stray = bench.program("stray", `#!/bin/sh\necho $$ >> ${bench.path("pids")}\nexec sleep 60\n`);
        const child = spawner.spawn(bench.sh(`setsid ${stray} >/dev/null 2>&1 & sleep 0.2; echo done`));
        expect([await readAll(child), await child.exit]).toEqual(["done\n", exited(0)]);
        expect(bench.noted()).toBe(1);
      });

      it("ends a whole tree that ignores SIGTERM, strays included, before stop resolves", async () => {
        const stray = bench.program(
          "stray",
          `#!/bin/sh\ntrap '' TERM HUP\necho $$ >> ${bench.path("pids")}\nwhile :; do sleep 60; done\n`,
        );
        const script = `trap '' TERM; note; ${stray} & setsid ${stray} & nohup ${stray} & wait`;
        // The strays hold the output open: a stop that waited for it would not end within this test.
        const child = spawner.spawn(bench.sh(script), { drainMs: 600_000 });
        await eventually(() => bench.noted() === 4, "the tree has grown");
        expect(await child.stop({ graceMs: 100 })).toEqual(killedBy("SIGKILL"));
        await eventually(() => bench.survivors().length === 0, "the tree is gone", 1_000);
      });

      it("lets a child end in its own way on SIGTERM", async () => {
        const child = spawner.spawn(bench.sh("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done"));
        await child.firstOutput;
        expect([await child.stop(), await readAll(child)]).toEqual([exited(7), "up\nbye\n"]);
      });

      it("asks in words first where the child understands them", async () => {
        const child = spawner.spawn(bench.sh("trap 'exit 9' TERM; echo up; read word; echo heard $word", "held"));
        await child.firstOutput;
        expect(await child.stop({ cancel: "cancel\n", cancelMs: 5_000 })).toEqual(exited(0));
        expect(await readAll(child)).toBe("up\nheard cancel\n");
      });

      it("keeps the first reason and lets a later call hurry", async () => {
        const child = spawner.spawn(bench.sh("trap '' TERM; note; while :; do sleep 60; done"));
        await eventually(() => bench.noted() === 1, "the child runs");
        const first = child.stop({ reason: "the clock", graceMs: 60_000 });
        expect(await child.stop({ reason: "shutdown", graceMs: 0 })).toEqual(killedBy("SIGKILL"));
        expect([await first, child.stopReason]).toEqual([killedBy("SIGKILL"), "the clock"]);
      });

      it("stops a child that was suspended", async () => {
        const child = spawner.spawn(bench.sh("trap 'exit 5' TERM; note; while :; do sleep 0.05; done"));
        await Promise.all([child.started, eventually(() => bench.noted() === 1, "the child runs")]);
        process.kill(pidOf(child), "SIGSTOP");
        expect(await child.stop()).toEqual(exited(5));
      });

      it("tells by which signal a child died", async () => {
        expect(await spawner.spawn(bench.sh("kill -SEGV $$")).exit).toEqual(killedBy("SIGSEGV"));
      });

      it("may be stopped after its end, which changes nothing", async () => {
        const child = spawner.spawn(bench.sh("exit 2"));
        await child.exit;
        expect([await child.stop(), await child.writeStdin("x")]).toEqual([exited(2), "broken"]);
      });

      it("has no descriptor left over after many children", async () => {
        const runSome = (): Promise<string[]> =>
          Promise.all(Array.from({ length: 10 }, () => readAll(spawner.spawn(bench.sh("echo x", { content: "y" })))));
        await runSome();
        const count = (): number => countDescriptors(process.pid);
        const before = count();
        await runSome();
        await runSome();
        // Descriptors of seats are open ahead, or about to be.
        await eventually(() => count() <= before + SEAT_DESCRIPTORS, "the descriptors are closed");
      });
    });

    describe("closing", () => {
      it("writes a process down while it runs, and no longer", async () => {
        // Seats are recorded as well: here only the child counts.
        const other = create({ dataDir: bench.directory, seats: 0 });
        const entries = (): number => readdirSync(bench.path("processes")).length;
        const child = other.spawn(bench.sh("cat", "held"));
        await child.started;
        expect(entries()).toBe(1);
        await child.endStdin();
        await child.exit;
        await eventually(() => entries() === 0, "the entry is gone");
        await other.close();
      });

      it("kills every child and starts no more", async () => {
        const other = create();
        const child = other.spawn(bench.sh("trap '' TERM; note; while :; do sleep 60; done"));
        await eventually(() => bench.noted() === 1, "the child runs");
        await other.close();
        expect([await child.exit, bench.survivors()]).toEqual([killedBy("SIGKILL"), []]);
        expect(await other.spawn(bench.sh("note")).exit).toMatchObject({
          kind: "failed-to-start",
          error: { code: "cancelled" },
        });
      });
    });
  });
}

function seating(spawner: Spawner): Spawner {
  return {
    spawn: (command, options) => spawner.spawn(command, { ...options, seated: true }),
    close: () => spawner.close(),
  };
}
