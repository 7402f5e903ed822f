import type { Page } from "playwright-core";
import type { PageStage } from "../../tests/page/page-stage.ts";
import { type Figure, ownFigure } from "../figures/figure.ts";
import { median, quantile } from "../figures/quantile.ts";
import { sessionFile } from "./session-file.ts";

const EVENTS = 10_000;
const MANY_EVENTS = 100_000;
const MANY_MS = 900;
const WHEEL_STEPS = 150;

/** A session of ten thousand events: how soon it can be read, and how it scrolls. */
export async function longSession(stage: PageStage, quick: boolean): Promise<readonly Figure[]> {
  const { id } = await stage.api.importSession(sessionFile(EVENTS));
  const opening = await openingFigures(stage, id, { events: EVENTS, mostMs: 500, rounds: quick ? 3 : 7 });
  const frames = await scrollUp(stage, id);
  const what = `${EVENTS.toLocaleString("en")} events`;
  return [
    ...opening,
    ownFigure(`${what}: scrolling up, frame p95`, "ms", quantile(frames, 0.95), 50),
    ownFigure(`${what}: scrolling up, longest frame`, "ms", Math.max(...frames)),
  ];
}

/** Ten times as many: how soon it can be read. */
export async function veryLongSession(stage: PageStage, quick: boolean): Promise<readonly Figure[]> {
  const { id } = await stage.api.importSession(sessionFile(MANY_EVENTS));
  return await openingFigures(stage, id, { events: MANY_EVENTS, mostMs: MANY_MS, rounds: quick ? 3 : 5 });
}

interface Opening {
  readonly events: number;
  readonly mostMs: number;
  readonly rounds: number;
}

async function openingFigures(stage: PageStage, id: string, opening: Opening): Promise<readonly Figure[]> {
  const { events, mostMs, rounds } = opening;
  const loaded: number[] = [];
  const opened: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    loaded.push(await loadSession(stage, id));
    opened.push(await openFromList(stage, id));
  }
  const what = `${events.toLocaleString("en")} events`;
  return [
    ownFigure(`${what}: page loaded, end shown and idle`, "ms", median(loaded), mostMs),
    ownFigure(`${what}: opened from the list, end shown and idle`, "ms", median(opened), mostMs),
  ];
}

/** Until the end of the session is in sight and the browser has nothing left to do. */
const shown = `new Promise((done) => {
  const look = () => {
    const list = document.querySelector('section[aria-label="Transcript"]');
    const isThere = list !== null && list.querySelector('section[aria-label="End of turn"]') !== null;
    const isAtEnd = isThere && list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    if (isAtEnd) requestIdleCallback(() => done(performance.now()));
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Nobody presses a line before they have read it; meanwhile the page fetches what will be needed. */
async function lookAround(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
  await page.evaluate("new Promise((done) => setTimeout(() => requestIdleCallback(done), 1500))");
}

/** A browser that was here before, and opens the address of the session. From the navigation's start. */
async function loadSession(stage: PageStage, id: string): Promise<number> {
  const page = await stage.visit("/", { serviceWorkers: "allow" });
  await lookAround(page);
  await page.goto("about:blank");
  await page.addInitScript(`globalThis.whenShown = ${shown}`);
  await page.goto(`${stage.url}/#/s/${id}`);
  const ms = await page.evaluate<number>("globalThis.whenShown");
  await stage.leave();
  return ms;
}

/** From the press on a line of the list. */
async function openFromList(stage: PageStage, id: string): Promise<number> {
  const page = await stage.visit("/", { serviceWorkers: "allow" });
  await lookAround(page);
  const ms = await page.evaluate<number>(`(async () => {
    const began = performance.now();
    document.querySelector('main a[href$="/s/${id}"]').click();
    return (await ${shown}) - began;
  })()`);
  await stage.leave();
  return ms;
}

/** The times between frames while a wheel turns; what lies further above is read meanwhile. */
async function scrollUp(stage: PageStage, id: string): Promise<readonly number[]> {
  const page = await stage.visit(`/s/${id}`);
  await page.evaluate(shown);
  await page.getByRole("region", { name: "Transcript" }).hover();
  await page.evaluate(`(() => {
    globalThis.frameTimes = [];
    let last = performance.now();
    const tick = (now) => {
      frameTimes.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  })()`);
  for (let step = 0; step < WHEEL_STEPS; step += 1) await page.mouse.wheel(0, -600);
  const frames = await page.evaluate<readonly number[]>("globalThis.frameTimes");
  await stage.leave();
  return frames;
}
