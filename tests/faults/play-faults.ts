import { join } from "node:path";
import type { OpenedEngine } from "@caret/cli/src/engine/compose.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endOf, type PlayedTurn, playTurn } from "../turns/play-turn.ts";
import {
  allowedDescriptors,
  type BenchSettings,
  openDescriptors,
  TurnBench,
  withSpawner,
} from "../turns/turn-bench.ts";
import type { Fault, FaultStage } from "./fault.ts";

/** Less than any clock of the bench, which would end it if nothing else did. */
const WITHIN_MS = 14_000;

let bench: TurnBench;
let engines: EngineShelf;

/** Plays these rows of the catalogue one after the other, each as a test of its own. */
export function playFaults(title: string, faults: readonly Fault[]): void {
  describe(title, () => {
    beforeAll(() => {
      bench = new TurnBench();
      engines = createEngineShelf();
    });
    afterAll(() => bench.remove());

    test.each(faults.map((fault) => [fault.id, fault.sentence, fault] as const))(
      "%s: %s",
      async (_id, _sentence, fault) => {
        const stage = await stageOf(fault);
        const allowed = allowedDescriptors(2); // its own engine, and the one of the row before
        const tidy = fault.prepare?.(stage);
        if (fault.refused === true) await expectRefusal(fault, stage);
        else await expectEnd(fault, stage);
        tidy?.();
        await eventually(() => bench.processes(stage.workspace).length === 0, "no process of the agent is left");
        await eventually(() => openDescriptors() <= allowed, "every descriptor is closed");
      },
    );
  });
}

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
    open(settings = withSpawner) {
      const key = JSON.stringify(settings);
      const dataDir = join(bench.directory, `data-${opened.size}`);
      const engine = opened.get(key) ?? bench.open({ settings: { dataDir, ...settings } });
      opened.set(key, engine);
      return engine;
    },
  };
}
