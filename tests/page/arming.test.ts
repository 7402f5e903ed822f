import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { approval, composer } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage } from "./page-stage.ts";

const ARM_MS = 500;
/** What the page and this test see of one moment may be two frames apart. */
const FRAMES_MS = 40;

/** By the page's own clock. */
interface Sighting {
  /** When each end of the card was in sight; both: all of it was. */
  readonly topAt?: number;
  readonly bottomAt?: number;
  /** When its button could first be pressed, and when the card was gone. */
  readonly armedAt?: number;
  readonly goneAt?: number;
}

describe.skipIf(lacksChromium())("a card that asks for an approval", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open();
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  const isArmed = (page: Page): Promise<boolean> => page.evaluate("Boolean(window.sighting?.armedAt)");
  const sighting = (page: Page): Promise<Sighting> => page.evaluate("window.sighting");
  const isOver = async (page: Page): Promise<boolean> => (await sighting(page)).goneAt !== undefined;

  async function expectMoment(page: Page): Promise<void> {
    // Its button may be pressed, and the card gone, in the frame in which it can be.
    const { topAt = Infinity, bottomAt = Infinity, goneAt = 0, armedAt = goneAt } = await sighting(page);
    const seenAt = Math.max(topAt, bottomAt);
    expect([armedAt - seenAt, goneAt - seenAt].map((since) => since >= ARM_MS - FRAMES_MS)).toEqual([true, true]);
  }

  it("takes no shortcut within 500 ms after all of it was in sight, however long the keys were pressed before", async () => {
    const { id } = await stage.session(undefined, { permission: "supervised" });
    const page = await stage.visit(`/s/${id}`);
    await composer(page).fill("half a thought");
    await page.evaluate(watchCard);
    await stage.api.startTurn(id, { prompt: prompts.approval });
    while (!(await isOver(page))) await page.keyboard.press("Alt+a");
    await expectMoment(page);
    expect(await composer(page).inputValue()).toBe("half a thought");
  }, 60_000);

  it("takes no click within 500 ms after all of it was in sight, where a person clicks already", async () => {
    const { id: first } = await stage.session(prompts.approval, { permission: "supervised" });
    const page = await stage.visit(`/s/${first}`);
    await approval(page).waitFor();
    const button = await approval(page)
      .getByRole("button", { name: /^Approve/ })
      .boundingBox();
    const place = { x: (button?.x ?? 0) + 5, y: (button?.y ?? 0) + 5 };
    await approval(page).getByRole("button", { name: "Deny", exact: false }).first().click();
    await approval(page).waitFor({ state: "detached" });
    const { id } = await stage.session(undefined, { permission: "supervised" });
    await page.goto(`${stage.url}/#/s/${id}`);
    await page.evaluate(watchCard);
    await stage.api.startTurn(id, { prompt: prompts.approval });
    while (!(await isOver(page))) {
      await page.mouse.click(place.x, place.y);
      // Where the cards do not lie at one place, it is clicked where it lies now.
      const now = await approval(page)
        .getByRole("button", { name: /^Approve/ })
        .boundingBox({ timeout: 100 })
        .catch(() => null);
      if (now !== null) Object.assign(place, { x: now.x + 5, y: now.y + 5 });
    }
    await expectMoment(page);
  }, 60_000);

  it("takes no approval while one of its ends was never in sight, and one once it was scrolled through", async () => {
    writeFileSync(join(stage.home.workspace, "guide.md"), "line\n".repeat(40));
    const { id } = await stage.session(undefined, { permission: "supervised" });
    const page = await stage.visit(`/s/${id}`, { viewport: { width: 900, height: 330 } });
    await composer(page).waitFor();
    await page.evaluate(watchCard);
    await stage.api.startTurn(id, { prompt: prompts.overwrite });
    await approval(page).waitFor();
    // By the clock of the page, in which a wrong moment would have passed.
    await expect.poll(() => page.evaluate("performance.now() - window.sighting.firstAt")).toBeGreaterThan(3 * ARM_MS);
    await page.keyboard.press("Alt+a");
    const { topAt, bottomAt } = await sighting(page);
    expect([topAt === undefined || bottomAt === undefined, await isArmed(page)]).toEqual([true, false]);
    await approval(page).locator("header").first().scrollIntoViewIfNeeded();
    await approval(page).locator("footer").first().scrollIntoViewIfNeeded();
    while (!(await isOver(page))) await page.keyboard.press("Alt+a");
    await expectMoment(page);
  }, 60_000);
});

/** Notes each frame what of the card is inside of everything that cuts it off. */
const watchCard = `(() => {
  const seen = (window.sighting = {});
  const inSight = (card, y) => {
    if (document.hidden) return false;
    for (let box = card.parentElement; box !== null; box = box.parentElement) {
      const { overflowY } = getComputedStyle(box);
      const { top, bottom } = box.getBoundingClientRect();
      if (overflowY !== "visible" && (y < top - 1 || y > bottom + 1)) return false;
    }
    return y >= -1 && y <= innerHeight + 1;
  };
  const look = () => {
    const now = performance.now();
    const card = document.querySelector('article[aria-label^="Approval:"]');
    if (card !== null) {
      seen.firstAt ??= now;
      const { top, bottom, height } = card.getBoundingClientRect();
      if (height !== seen.height) Object.assign(seen, { height, topAt: undefined, bottomAt: undefined });
      if (inSight(card, top)) seen.topAt ??= now;
      if (inSight(card, bottom)) seen.bottomAt ??= now;
      if (!card.querySelector("footer button").disabled) seen.armedAt ??= now;
    } else if (seen.firstAt !== undefined) seen.goneAt ??= now;
    requestAnimationFrame(look);
  };
  look();
})()`;
