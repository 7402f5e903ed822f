import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { approval, composer, readyApproval, shownText, stateLine, transcript, turnEnds } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage } from "./page-stage.ts";

describe.skipIf(lacksChromium())("a page whose gateway goes away", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open();
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it.runIf(isFullRun())(
    "has the whole transcript, once, when the gateway is killed amid a turn and comes back",
    async () => {
      const { id } = await stage.session(prompts.longAnswer, { permission: "full" });
      const page = await stage.visit(`/s/${id}`);
      await expect.poll(async () => (await shownText(transcript(page))).length).toBeGreaterThan(500);
      // A dead gateway refuses connections, and browsers say so.
      stage.allow(/ERR_|WebSocket|Failed to load/);
      const startAgain = await stage.killGateway();
      await page
        .getByText(/Reconnecting…|; reconnecting/)
        .first()
        .waitFor();
      await startAgain();
      await turnEnds(page, "Failed");
      await expect.poll(() => page.getByText(/Reconnecting…|; reconnecting/).count()).toBe(0);

      const { events } = await stage.api.readLog(id, { limit: 10_000 });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      const said = events.map(({ event }) => (event.type === "text-delta" ? event.text : "")).join("");
      const shown = (await shownText(transcript(page))).replaceAll(/\s+/g, " ");
      expect(shown).toContain(said.replaceAll(/\s+/g, " ").trim());
      expect(shown.split("Once upon").length).toBe(said.split("Once upon").length);

      await composer(page).fill(prompts.quick);
      await page.getByRole("button", { name: "Send" }).click();
      await transcript(page).getByText("Hello there.").waitFor();
      await turnEnds(page, "Done");
      await stateLine(page).getByText("Done").waitFor();
    },
    60_000,
  );

  it.runIf(isFullRun())(
    "loses nothing that is being typed when the gateway is killed while an approval waits, and goes on",
    async () => {
      const { id } = await stage.session(prompts.approval);
      const page = await stage.visit(`/s/${id}`);
      await readyApproval(page);
      await composer(page).fill("half a thought");
      stage.allow(/ERR_|WebSocket|Failed to load/);
      const startAgain = await stage.killGateway();
      await page
        .getByText(/Reconnecting…|; reconnecting/)
        .first()
        .waitFor();
      await startAgain();
      await turnEnds(page, "Failed");
      await transcript(page).getByText("Caret stopped while this turn was running").waitFor();
      expect([await approval(page).getByRole("button").count(), await composer(page).inputValue()]).toEqual([
        0,
        "half a thought",
      ]);
      await composer(page).fill(prompts.quick);
      await page.keyboard.press("Enter");
      await transcript(page).getByText("Hello there.").waitFor();
    },
    60_000,
  );

  it("opens without the gateway and says so, and goes on by itself when there is one again", async () => {
    const page = await stage.visit("/", { serviceWorkers: "allow" });
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    stage.allow(/ERR_|Failed to load/);
    const startAgain = await stage.killGateway();
    await page.reload();
    await page.getByText("Trying again…").waitFor();
    await startAgain();
    await page.getByRole("heading", { name: "Sessions" }).waitFor({ timeout: 25_000 });
  }, 60_000);
});
