import { join } from "node:path";
import type { OpenedEngine } from "@caret/cli/src/compose.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endOf, type PlayedTurn, playTurn } from "../turns/play-turn.ts";
import { allowedDescriptors, type BenchSettings, openDescriptors, TurnBench } from "../turns/turn-bench.ts";
import { exitFaults } from "./exit-faults.ts";
import type { Fault, FaultStage } from "./fault.ts";
import { outputFaults } from "./output-faults.ts";
import { startFaults } from "./start-faults.ts";
import { uncoveredFaults } from "./uncovered-faults.ts";

const faults = [...startFaults, ...outputFaults, ...exitFaults];
const WITHIN_MS = 8_000;

let bench: TurnBench;
let engines: EngineShelf;

beforeAll(() => {
  bench = new TurnBench();
  engines = createEngineShelf();
});
afterAll(() => bench.remove());

describe("The fault catalogue", () => {
  test.each(faults.map((fault) => [fault.id, fault.sentence, fault] as const))(
    "%s: %s",
    async (_id, _sentence, fault) => {
      const stage = await stageOf(fault);
      const allowed = allowedDescriptors();
      const tidy = fault.prepare?.(stage);
      if (fault.refused === true) await expectRefusal(fault, stage);
      else await expectEnd(fault, stage);
      tidy?.();
      await eventually(() => bench.processes(stage.workspace).length === 0, "no process of the agent is left");
      await eventually(() => openDescriptors() <= allowed, "every descriptor is closed");
    },
  );

  test("has a row for every fault of its two tables, or says why not", () => {
    const known = new Set([...faults.map(({ id }) => id), ...Object.keys(uncoveredFaults)]);
    const wanted = [...numbered("P", 17), ...numbered("O", 53)];
    expect(wanted.filter((id) => !known.has(id))).toEqual([]);
    expect([...known].filter((id) => !wanted.includes(id))).toEqual([]);
  });

  test("excuses no fault that it plays", () => {
    expect(faults.filter(({ id }) => Object.hasOwn(uncoveredFaults, id))).toEqual([]);
  });
});

async function stageOf({ agent, settings }: Fault): Promise<FaultStage> {
  const workspace = bench.workspace(typeof agent === "function" ? agent(bench) : agent);
  const { engine } = await engines.open(typeof settings === "function" ? settings(bench) : settings);
  return { bench, engine, workspace };
}

async function expectRefusal({ request, ends }: Fault, { engine, workspace }: FaultStage): Promise<void> {
  const refused = engine.startTurn({ prompt: "Hello", workspace, ...request });
  await expect(refused).rejects.toMatchObject({ code: ends });
}

async function expectEnd(fault: Fault, stage: FaultStage): Promise<void> {
  const request = { prompt: "Hello", workspace: stage.workspace, ...fault.request };
  const played = await playTurn(stage.engine, request, { meanwhile: (turn) => fault.meanwhile?.(turn, stage) });
  expect(verdictOf(played)).toEqual({ ends: fault.ends, text: fault.text ?? played.text });
  expect(played.elapsedMs).toBeLessThan(fault.withinMs ?? WITHIN_MS);
  await fault.check?.(played, stage);
}

function verdictOf({ outcome, text }: PlayedTurn): { readonly ends: string; readonly text: string } {
  return { ends: endOf(outcome), text };
}

interface EngineShelf {
  open(settings?: BenchSettings): Promise<OpenedEngine>;
}

/** Rows with the same settings share an engine: what one leaves behind would be seen by the next. */
function createEngineShelf(): EngineShelf {
  const opened = new Map<string, Promise<OpenedEngine>>();
  return {
    open(settings = {}) {
      const key = JSON.stringify(settings);
      const dataDir = join(bench.directory, `data-${opened.size}`);
      const engine = opened.get(key) ?? bench.open({ settings: { dataDir, ...settings } });
      opened.set(key, engine);
      return engine;
    },
  };
}

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}-${String(index + 1).padStart(2, "0")}`);
}
