import { type AgentEvent, assertWellFormedTurn, CaretError } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDecoder } from "../../decode/decoder.ts";
import type { ChildHandle, Spawner } from "../../process/child-handle.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createWorkbench, readAll, type Workbench } from "../../process/testing/workbench.ts";
import { eventually } from "../../testing/eventually.ts";
import { createTurnClocks } from "../turn-clocks.ts";
import { ownTurn } from "./offered-turn.ts";
import { type AgentRun, failed, readAgent } from "./read-agent.ts";
import { saysHello } from "./testing/cli-bench.ts";
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
    decoder: createDecoder({ dialect: "stream-json", partial: true, joinsDeltas: true }),
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

/** A script of a turn that says these, with something to do after each, in lines as the official CLI writes them. */
function speaks(texts: readonly string[], between: string): string {
  const session_id = "0d6f0000-0000-4000-8000-000000000001";
  const lines = texts.map((text) => ({
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text }] },
    session_id,
    timestamp_ms: 1_790_000_000_000,
  }));
  const echo = (line: object): string => `echo '${JSON.stringify(line)}'`;
  const init = { type: "system", subtype: "init", session_id };
  const result = { type: "result", subtype: "success", is_error: false, result: texts.join("") };
  return [init, ...lines].map((line) => `${echo(line)}\n${between}\n`).join("") + echo(result);
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

  it.each([true, false])(
    "gives more of a text without a batch around it where that is taken: %s",
    async (takesMore) => {
      const child = spawner.spawn(workbench.sh(speaks(["Let me see", " one", " two"], "read -r next"), "held"));
      const given: unknown[] = [];
      const next = (): void => void child.writeStdin("\n");
      const batches = (entries: readonly { readonly event: AgentEvent }[]): void => {
        given.push(...entries.map(({ event }) => ("text" in event ? event.text : event.type)));
        next();
      };
      const more = ({ text }: { readonly text: string }): boolean => {
        if (takesMore) given.push({ more: text });
        if (takesMore) next();
        return takesMore;
      };
      await readAgent(runOf(child), Object.assign(batches, { more }));
      const said = takesMore ? [{ more: " one" }, { more: " two" }] : [" one", " two"];
      expect(given).toEqual(["session-ready", "text-start", "Let me see", ...said, "text-end", "turn-end"]);
    },
  );

  it("does not give up on an agent that goes on with its text, and does when it stops", async () => {
    const pieces = ["Let me see", " one", " two", " three", " four", " five"];
    const script = `${speaks(pieces, "sleep 0.2").split("\n").slice(0, -1).join("\n")}\nsleep 600`;
    const child = spawner.spawn(workbench.sh(script, "held"));
    let [said, end] = ["", "no end"];
    const batches = (entries: readonly { readonly event: AgentEvent }[]): void => {
      const events = entries.map(({ event }) => event);
      said += events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
      end = endOf(events);
    };
    const more = ({ text }: { readonly text: string }): boolean => {
      said += text;
      return true;
    };
    await readAgent(runOf(child, {}, { ...patient, idleMs: 700 }), Object.assign(batches, { more }));
    expect({ said, end }).toEqual({ said: pieces.join(""), end: "stalled" });
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

  it.each<readonly [string, () => Promise<void>]>([
    [
      "at once",
      () => {
        throw new Error("The disk is full");
      },
    ],
    ["after a while", () => new Promise((_, reject) => setImmediate(reject, new Error("The disk is full")))],
  ])("ends the process when its entries are not taken, and rejects with the reason %s", async (_when, full) => {
    const child = spawner.spawn(workbench.sh(`note\n${saysHello.split("\n").slice(0, 2).join("\n")}\nsleep 600`));
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
