import type { ScenarioInput } from "@caret/simulator";
import type { PageStage } from "../../tests/page/page-stage.ts";
import { type Figure, ownFigure } from "../figures/figure.ts";
import { countBusyTime } from "./busy-time.ts";

const PROMPT = "Speak as fast as you can";
const TOKENS_PER_SECOND = 200;
const TOKENS_PER_DELTA = 4;
/** Timers come late, and each delta has to be written too. */
const DELTA_MS = (1000 * TOKENS_PER_DELTA) / TOKENS_PER_SECOND - 6;

const paragraph = [
  "The **gateway** reads what the agent says, one line at a time, and writes each event to its log before anybody sees it. ",
  "A reader that comes late gets the same events as one that was there, in the same order.\n\n",
  "- what was said stays said\n- what was `done` has a card\n\n",
  "```ts\nexport const answer = 42;\n```\n\n",
].join("");

type Turn = NonNullable<ScenarioInput["turns"]>[number];

const seconds = (quick: boolean): number => (quick ? 10 : 60);

/** An agent that speaks for as long as is measured, and a little longer. */
export function streamedTurn(quick: boolean): Turn {
  const words = (seconds(quick) + 5) * TOKENS_PER_SECOND;
  const repeat = Math.ceil(words / paragraph.split(/\s+/).length);
  return { when: PROMPT, steps: [{ text: paragraph, repeat, tokensPerDelta: TOKENS_PER_DELTA, deltaMs: DELTA_MS }] };
}

/** Whether the page stays awake while an agent speaks faster than anybody reads. */
export async function stream(stage: PageStage, quick: boolean): Promise<readonly Figure[]> {
  const { id } = await stage.session(PROMPT, { permission: "full" });
  const page = await stage.visit(`/s/${id}`);
  await page.getByText("The gateway reads").first().waitFor();
  const wordsBefore = await wordsSaid(stage, id);
  const busyTime = await countBusyTime(page);
  await page.evaluate(`new Promise((done) => setTimeout(done, ${seconds(quick) * 1000}))`);
  const { elapsed, longTasks, tasks } = await busyTime();
  const words = (await wordsSaid(stage, id)) - wordsBefore;
  const { status } = await stage.api.getSession(id);
  if (status.kind === "running") await stage.api.cancelTurn(id, status.turnId);
  await stage.leave();
  const what = `${TOKENS_PER_SECOND} tokens/s for ${seconds(quick)} s`;
  return [
    ownFigure(`${what}: time in long tasks`, "%", (100 * longTasks) / elapsed, 5),
    ownFigure(`${what}: time in all tasks`, "%", (100 * tasks) / elapsed),
    ownFigure(`${what}: tokens that came, per second`, "", (1000 * words) / elapsed),
  ];
}

async function wordsSaid(stage: PageStage, id: string): Promise<number> {
  const { events } = await stage.api.readLog(id, { limit: 10_000 });
  const text = events.map(({ event }) => (event.type === "text-delta" ? event.text : "")).join("");
  return text.split(/\s+/).length;
}
