import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endOf, playTurn } from "../turns/play-turn.ts";
import { TurnBench } from "../turns/turn-bench.ts";
import { type ApiStage, openApiStage } from "./api-bench.ts";

let bench: TurnBench;
let stage: ApiStage | undefined;
beforeEach(() => {
  bench = new TurnBench();
});
afterEach(async () => {
  await stage?.close();
  stage = undefined;
  await bench.remove();
});

type Steps = NonNullable<ScenarioInput["turns"]>[number];

/** Something that only the upstream can do. */
const wire = (fault: object): object => ({ wire: fault });

async function play(steps: Steps, httpVersion: string) {
  stage = await openApiStage(bench, { scenario: { turns: [steps] }, settings: { api: { httpVersion } } });
  const { engine } = stage.opened;
  const { outcome, text, summary } = await playTurn(engine, { prompt: "Go on", workspace: bench.workspace() });
  const { upstream } = stage;
  await eventually(() => upstream.openRuns === 0, "every stream to be closed");
  return { end: endOf(outcome), text, notices: summary.notices.map(({ kind }) => kind) };
}

/** Each spoils the first attempt of a run. */
const passing: readonly (readonly [string, object])[] = [
  ["is refused with the status 503", { status: 503 }],
  ["is refused as unavailable", { error: { code: "unavailable" } }],
  ["loses its connection", { destroy: true }],
  ["ends without the end of the turn", { end: true }],
  ["breaks off within a message", { truncate: 3 }],
];

const final: readonly (readonly [string, object, string])[] = [
  ["a message of four gigabytes (H-14)", { header: { flags: 0, length: 0xffff_ffff } }, "too-large"],
  ["reserved flags (H-17)", { header: { flags: 8, length: 0 } }, "protocol-violation"],
  ["a login that is not accepted", { error: { code: "unauthenticated" }, times: 9 }, "not-logged-in"],
  [
    "a used-up allowance",
    { error: { code: "resource_exhausted", detail: { error: "ERROR_FREE_USER_USAGE_LIMIT" } }, times: 9 },
    "usage-limit",
  ],
];

describe.each(["2", "1.1"].slice(0, barSize({ quick: 1, full: 2 })))("Over HTTP/%s", (httpVersion) => {
  test.each(passing)("a run that %s before anything was said begins again", async (_what, fault) => {
    expect(await play([wire(fault), { text: "Here." }] as Steps, httpVersion)).toEqual({
      end: "completed",
      text: "Here.",
      notices: ["retry"],
    });
  });

  test.each(passing.slice(2))("a run that %s after a checkpoint goes on from it", async (_what, fault) => {
    const steps = [{ text: "One." }, wire({ checkpoint: true }), wire(fault), { text: " Two." }] as Steps;
    expect(await play(steps, httpVersion)).toEqual({ end: "completed", text: "One. Two.", notices: ["reconnect"] });
  });

  test.each(final)("%s fails the turn at once", async (_what, fault, code) => {
    expect(await play([wire(fault), { text: "Never." }] as Steps, httpVersion)).toEqual({
      end: code,
      text: "",
      notices: [],
    });
  });

  test("an answer in messages that are compressed, and one in bytes one by one, arrive whole", async () => {
    const steps = [
      wire({ compress: "gzip" }),
      { text: "One. Two. " },
      wire({ compress: "none" }),
      wire({ chunkBytes: 1 }),
      { text: "Three." },
    ];
    expect(await play(steps as Steps, httpVersion)).toEqual({
      end: "completed",
      text: "One. Two. Three.",
      notices: [],
    });
  });

  test("what nobody knows, of any kind, does not hold the turn up", async () => {
    const unknown = ["exec", "query", "update", "message"].map((kind) => wire({ unknown: kind }));
    expect(await play([...unknown, { text: "Done." }] as Steps, httpVersion)).toMatchObject({
      end: "completed",
      text: "Done.",
    });
  });

  test("a flooding answer arrives whole", async () => {
    const words = Array.from({ length: 40_000 }, (_, index) => `word${index} `).join("");
    const { end, text } = await play([{ text: words }], httpVersion);
    expect([end, text === words]).toEqual(["completed", true]);
  });
});

test("a compressed message that would fill the memory is refused (H-16)", async () => {
  expect(await play([wire({ compress: "gzip" }), wire({ bomb: 200_000_000 })] as Steps, "2")).toMatchObject({
    end: "too-large",
  });
});

test.runIf(isFullRun())("a flood of headers does not harm the gateway (H-28)", async () => {
  const { end } = await play([wire({ continuation: 2_000 }), { text: "Here." }] as Steps, "2");
  expect(["completed", "upstream-unreachable", "no-result"]).toContain(end);
});
