import { type AgentEvent, assertWellFormedTurn, CaretError } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDecoder } from "../../decode/decoder.ts";
import type { ChildHandle, Spawner } from "../../process/child-handle.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createWorkbench, readAll, type Workbench } from "../../process/testing/workbench.ts";
import { eventually } from "../../testing/eventually.ts";
import { ownTurn } from "./offered-turn.ts";
import { type AgentRun, failed, readAgent } from "./read-agent.ts";
import { saysHello } from "./testing/cli-bench.ts";
import { createTurnClocks } from "./turn-clocks.ts";
import { createVersionReport } from "./version-probe.ts";

const start: AgentEvent = { type: "turn-start", turnId: "t", lane: "cli" };
const patient = { firstEventMs: 10_000, idleMs: 10_000, toolMs: 10_000, turnMs: 10_000 };

let workbench: Workbench;
let spawner: Spawner;
beforeEach(() => {
  workbench = createWorkbench();
  spawner = createInlineSpawner({});
});
afterEach(async () => {
  await spawner.close();
  workbench.remove();
});

function runOf(child: ChildHandle, more: Partial<AgentRun> = {}, clocks = patient): AgentRun {
  const now = (): number => performance.now();
  return {
    child,
    decoder: createDecoder({ dialect: "stream-json", partial: true }),
    clocks: createTurnClocks(clocks, now),
    now,
    signal: new AbortController().signal,
    graceMs: 100,
    lingerMs: 200,
    cancelMessage: undefined,
    judgeExit: (exit) => failed(new CaretError("no-result", `It left: ${JSON.stringify(exit)}`), "last words"),
    attachmentOf: (sessionId) => ({ lane: "cli", sessionId }),
    version: createVersionReport(Promise.resolve(undefined)),
    offered: ownTurn,
    refill: () => undefined,
    ...more,
  };
}

async function play(script: string, more: Partial<AgentRun> = {}, clocks = patient): Promise<readonly AgentEvent[]> {
  const run = runOf(spawner.spawn(workbench.sh(script, "held")), more, clocks);
  const events: AgentEvent[] = [];
  await readAgent(run, (entries) => void events.push(...entries.map(({ event }) => event)));
  assertWellFormedTurn([start, ...events]);
  return events;
}

function endOf(events: readonly AgentEvent[]): string {
  const last = events.at(-1);
  if (last?.type !== "turn-end") return "no end";
  return last.outcome.kind === "failed" ? last.outcome.error.code : last.outcome.kind;
}

describe("running an agent", () => {
  it("ends with its result, not with its process", async () => {
    const run = runOf(spawner.spawn(workbench.sh(`note\n${saysHello}\nsleep 600`)), { graceMs: 2_000 });
    const atEnd: object[] = [];
    await readAgent(run, (entries) => {
      const end = endOf(entries.map(({ event }) => event));
      if (end !== "no end") atEnd.push({ end, survivors: workbench.survivors().length });
    });
    expect(atEnd).toEqual([{ end: "completed", survivors: 1 }]);
    expect(workbench.survivors()).toEqual([]);
  });

  it("asks what an exit without a result means", async () => {
    const events = await play("exit 3");
    expect(events).toEqual([
      {
        type: "turn-end",
        outcome: {
          kind: "failed",
          error: expect.objectContaining({
            message: 'It left: {"kind":"exited","code":3,"signal":null}',
            upstream: "last words",
          }),
        },
      },
    ]);
  });

  it("supposes a peaceful exit of one that closes its output and stays, and ends it", async () => {
    const events = await play("note; exec >&-; sleep 600");
    expect(JSON.stringify(events)).toContain('\\"code\\":0');
    expect(workbench.survivors()).toEqual([]);
  });

  it("gives up when a clock runs out, and ends the process", async () => {
    const events = await play("note; sleep 600", {}, { ...patient, firstEventMs: 100 });
    expect(endOf(events)).toBe("stalled");
    expect(workbench.survivors()).toEqual([]);
  });

  it("stops when it is aborted, even one that ignores signals", async () => {
    const controller = new AbortController();
    const events = play("trap '' TERM; note; while :; do sleep 0.05; done", { signal: controller.signal });
    await eventually(() => workbench.noted() === 1, "it runs");
    controller.abort();
    expect(endOf(await events)).toBe("cancelled");
    expect(workbench.survivors()).toEqual([]);
  });

  it("stops while it waits for the exit of one that has closed its output", async () => {
    const controller = new AbortController();
    const script = "exec >&-; note; sleep 600";
    const events = play(script, { signal: controller.signal, lingerMs: 60_000 });
    await eventually(() => workbench.noted() === 1, "it runs");
    controller.abort();
    expect(endOf(await events)).toBe("cancelled");
  });

  it("sends the last message before it signals", async () => {
    const controller = new AbortController();
    const script = "note; read -r word; echo $word > got; exit 0";
    const run = { signal: controller.signal, cancelMessage: "please stop\n" };
    const events = play(script, run);
    await eventually(() => workbench.noted() === 1, "it runs");
    controller.abort();
    expect(endOf(await events)).toBe("cancelled");
    expect(await readAll(spawner.spawn(workbench.sh("cat got")))).toBe("please stop\n");
  });

  it("ends the process when its entries are not taken, and rejects with the reason", async () => {
    const child = spawner.spawn(workbench.sh(`note\n${saysHello.split("\n").slice(0, 2).join("\n")}\nsleep 600`));
    const full = (): never => {
      throw new Error("The disk is full");
    };
    await expect(readAgent(runOf(child), full)).rejects.toThrow("The disk is full");
    expect(workbench.noted()).toBe(1);
    expect(workbench.survivors()).toEqual([]);
  });

  it("tells of a program that could not start", async () => {
    const command = { ...workbench.sh(""), file: workbench.path("nothing") };
    const judged: string[] = [];
    const run = runOf(spawner.spawn(command), {
      judgeExit: (exit) => {
        judged.push(exit.kind);
        return { kind: "cancelled" };
      },
    });
    await readAgent(run, () => undefined);
    expect(judged).toEqual(["failed-to-start"]);
  });
});
