import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { composer, transcript } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage } from "./page-stage.ts";

/** The longer flows of each are in `prompts`, `finding`, `changes` and `settings`, which `npm run test:full` runs. */
describe.skipIf(lacksChromium())("a day's work on the page", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open();
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("queues a prompt, finds what was said, shows what changed and changes a setting", async () => {
    const { id } = await stage.session(prompts.question);
    const page = await stage.visit(`/s/${id}`);
    await composer(page).fill(prompts.quick);
    await page.getByRole("button", { name: "Queue", exact: true }).click();
    await page.getByRole("region", { name: "Queued prompts" }).getByText(prompts.quick).waitFor();
    await page.getByRole("radio", { name: "Blue" }).check();
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await transcript(page).getByText("Hello there.").waitFor();

    await page.goto(`${stage.url}/#/search`);
    await page.getByRole("searchbox", { name: "Search what was said" }).fill(`"good choice"`);
    await page
      .getByRole("list", { name: "Places" })
      .getByRole("link", { name: /A good choice/ })
      .waitFor();

    writeFileSync(join(stage.home.workspace, "later.txt"), "changed\n");
    await page.goto(`${stage.url}/#/s/${id}/changes`);
    await page.getByRole("button", { name: /^later\.txt.*added/ }).waitFor();

    await page.goto(`${stage.url}/#/settings`);
    await page.getByRole("textbox", { name: "clocks.idleMs", exact: true }).fill("120000");
    await page.keyboard.press("Enter");
    await page.getByText("not in force yet").waitFor();
    const { settings } = await stage.api.settings();
    expect(settings.find(({ key }) => key === "clocks.idleMs")?.value).toBe(120_000);
  });
});
