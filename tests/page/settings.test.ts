import { readFileSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage, phone } from "./page-stage.ts";

describe.skipIf(lacksChromium())("the settings on the page", () => {
  let stage: PageStage;
  let file: string;
  beforeAll(async () => {
    stage = await PageStage.open();
    ({ file } = await stage.api.settings());
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("are found, changed with the keyboard, written to the user's file, and say that they need a restart", async () => {
    const page = await stage.visit("/settings");
    await page.getByRole("searchbox", { name: "Find a setting" }).fill("clocks.idleMs");
    await page.getByRole("textbox", { name: "clocks.idleMs", exact: true }).fill("120000");
    await page.keyboard.press("Enter");
    await page.getByText("1 setting counts from the next start of the gateway on.").waitFor();
    await page.getByText("not in force yet").waitFor();
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ clocks: { idleMs: 120_000 } });
    await page.getByRole("button", { name: "Take out of the file: clocks.idleMs" }).click();
    await expect.poll(() => readFileSync(file, "utf8").trim()).toBe("{}");
  });

  it("say what is wrong with a value, and leave the file as it is", async () => {
    stage.allow(/400/);
    const before = readFileSync(file, "utf8");
    const page = await stage.visit("/settings");
    await page.getByRole("textbox", { name: "clocks.idleMs", exact: true }).fill("-1");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("clocks.idleMs: Too small").waitFor();
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("cannot be changed where a variable sets them", async () => {
    const page = await stage.visit("/settings");
    const lane = page.getByRole("combobox", { name: "lane", exact: true });
    await lane.waitFor();
    expect(await lane.isDisabled()).toBe(true);
  });

  it("set a budget on Usage that counts at once, and the composer warns before a turn would be refused", async () => {
    const { id } = await stage.endedSession(prompts.everyCard, { permission: "full" });
    const page = await stage.visit("/usage");
    await page.getByText("None is set: nothing stops a turn.").waitFor();
    await page.getByRole("button", { name: "Set budgets" }).click();
    await page.getByRole("textbox", { name: "A day, in tokens" }).fill("10");
    await page.keyboard.press("Enter");
    await page.getByText(/all of 10 tokens used/).waitFor();
    await page.goto(`${stage.url}/#/s/${id}`);
    await page.getByText("The next turn will be refused. The day's budget of 10 tokens is used up").waitFor();
    await page.getByRole("link", { name: "Budgets" }).click();
    await page.getByRole("button", { name: "Set budgets" }).click();
    await page.getByRole("textbox", { name: "A day, in tokens" }).fill("");
    await page.keyboard.press("Enter");
    await page.getByText("None is set: nothing stops a turn.").waitFor();
    const { turnId } = await stage.api.startTurn(id, { prompt: prompts.everyCard });
    expect(turnId).not.toBe("");
    await stage.settled(id);
  });

  it("are accessible, and fit a phone", async () => {
    const page = await stage.visit("/settings", phone);
    await page.getByRole("heading", { name: "budgets" }).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  });
});
