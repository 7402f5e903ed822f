import { setTimeout as sleep } from "node:timers/promises";
import type { TurnUsage } from "../output/result-event.ts";
import type { Faults } from "../scenario/faults.ts";
import { stepName } from "../scenario/scenario.ts";
import type { Step, StepName, StepOf } from "../scenario/step-shapes.ts";
import { defaultPace, type Pace } from "./split-deltas.ts";
import type { Stage } from "./stage.ts";

export interface ScenarioPlay {
  readonly stage: Stage;
  readonly steps: readonly Step[];
  /** What the steps that misbehave do here. */
  readonly faults: Faults;
  readonly signal: AbortSignal;
  /** Lets out what is gathered; called before a wait. */
  readonly flush: () => void;
  readonly pace: PaceWish;
  /** What `{{prompt}}`, `{{sessionId}}` and `{{workspace}}` stand for in spoken text. */
  readonly words: Readonly<Record<string, string>>;
}

/** The step's own setting goes before the scenario's. */
interface PaceWish {
  readonly tokensPerDelta?: number | undefined;
  readonly deltaMs?: number | undefined;
}

/** Plays the steps in order, then ends the turn unless a step has. */
export async function playScenario(play: ScenarioPlay): Promise<void> {
  const progress: Progress = { hasResult: false };
  for (const step of play.steps) await act(step, play, progress);
  if (!progress.hasResult) await play.stage.finish({ ...progress.ending });
}

interface Progress {
  hasResult: boolean;
  ending?: { usage: TurnUsage | false };
}

type SpokenName = Exclude<StepName, keyof Faults>;
type Acts = {
  readonly [Name in SpokenName]: (step: StepOf<Name>, play: ScenarioPlay, progress: Progress) => unknown;
};

async function act(step: Step, play: ScenarioPlay, progress: Progress): Promise<void> {
  const name = stepName(step);
  if (name === undefined) return;
  // The key chose the shape when the scenario was checked, so step and handler belong together.
  const handler = { ...acts, ...play.faults }[name] as (step: Step, play: ScenarioPlay, progress: Progress) => unknown;
  await handler(step, play, progress);
}

const acts: Acts = {
  init: (_step, { stage }) => stage.open(),
  thinking: ({ thinking, repeat = 1, ...pace }, play) =>
    play.stage.think(fill(thinking, play).repeat(repeat), toPace(pace, play)),
  text: ({ text, repeat = 1, ...pace }, play) => play.stage.say(fill(text, play).repeat(repeat), toPace(pace, play)),
  tool: ({ tool }, { stage }) => stage.call([compact(tool)]),
  tools: ({ tools }, { stage }) => stage.call(tools.map(compact)),
  question: ({ question: { title, prompt, options } }, { stage }) =>
    stage.call([{ name: "askQuestion", args: toQuestionArgs(title ?? prompt, prompt, options) }]),
  notify: ({ notify: { taskId = "1", status, title, detail } }, { stage }) =>
    stage.event({
      type: "system",
      subtype: "task_notification",
      task_id: taskId,
      status,
      title,
      ...(detail === undefined ? {} : { detail }),
    }),
  retry: ({ retry: { attempt, isResume } }, { stage }) => {
    stage.event({ type: "retry", subtype: "starting", attempt, is_resume: isResume });
    if (isResume) stage.event({ type: "retry", subtype: "resuming", attempt, checkpoint_turn_count: 1 });
  },
  reconnect: ({ reconnect: { attempt, endpoint = "https://agentn.global.api5.cursor.sh" } }, { stage }) => {
    stage.event({ type: "connection", subtype: "reconnecting", attempt, endpoint_url: endpoint });
    stage.event({ type: "connection", subtype: "reconnected" });
  },
  usage: ({ usage }, { stage }, progress) => {
    if (usage === false) progress.ending = { usage };
    else stage.addUsage(usage);
  },
  event: ({ event }, { stage }) => stage.event(event),
  result: async ({ result: { repeat, text, isError, subtype } }, { stage }, progress) => {
    progress.hasResult = true;
    const ending = {
      ...progress.ending,
      ...(text === undefined ? {} : { text }),
      ...(isError === undefined ? {} : { isError }),
      ...(subtype === undefined ? {} : { subtype }),
    };
    for (let shown = 0; shown < repeat; shown += 1) await stage.finish(ending);
  },
  delay: ({ delay }, { flush, signal }) => {
    flush();
    return sleep(delay, undefined, { signal });
  },
};

function fill(text: string, { words }: ScenarioPlay): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => words[name] ?? whole);
}

function toPace(own: PaceWish, { pace }: ScenarioPlay): Pace {
  return {
    tokensPerDelta: own.tokensPerDelta ?? pace.tokensPerDelta ?? defaultPace.tokensPerDelta,
    deltaMs: own.deltaMs ?? pace.deltaMs ?? defaultPace.deltaMs,
  };
}

/** Drops the keys that are there but undefined, as exact optional properties ask. */
function compact({ name, args, server, started, completed }: StepOf<"tool">["tool"]) {
  return {
    name,
    args,
    ...(server === undefined ? {} : { server }),
    ...(started === undefined ? {} : { started }),
    ...(completed === undefined ? {} : { completed }),
  };
}

function toQuestionArgs(title: string, prompt: string, options: readonly string[]) {
  const choices = options.map((label) => ({ id: label, label }));
  return { title, questions: [{ id: "question_1", prompt, options: choices, allowMultiple: false }] };
}
