import { readFileSync } from "node:fs";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { composer, pasteImage, readyApproval, transcript, turnEnds } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage } from "./page-stage.ts";

describe.skipIf(lacksChromium())("the list of sessions and the ways around", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open();
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("shows live what each session does, and what waits for a person", async () => {
    const page = await stage.visit();
    const inbox = page.getByRole("region", { name: /^Waiting for you/ });
    await inbox.getByText("Nothing needs you right now.").waitFor();
    const { id } = await stage.session(prompts.question);
    const row = inbox.getByRole("link", { name: /Waiting for your answer/ });
    await row.waitFor();
    expect(await page.title()).toBe("(1) Caret");
    await row.click();
    await page.getByRole("radio", { name: "Red" }).check();
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await turnEnds(page, "Done");
    await page.goto(`${stage.url}/#/`);
    await inbox.getByText("Nothing needs you right now.").waitFor();
    await page
      .getByRole("main")
      .getByRole("listitem")
      .filter({ hasText: prompts.question })
      .getByText("Done")
      .waitFor();
    await stage.api.deleteSession(id);
    await expect.poll(() => page.getByRole("main").getByText(prompts.question).count()).toBe(0);
  });

  it.runIf(isFullRun())("finds, renames, archives and deletes", async () => {
    await stage.session(undefined, { title: "Needle in the hay" });
    await stage.session(undefined, { title: "Plain hay" });
    const page = await stage.visit();
    const main = page.getByRole("main");
    await main.getByRole("link", { name: "Plain hay" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await expect.poll(() => main.getByRole("link", { name: /hay/ }).allInnerTexts()).toEqual(["Needle in the hay"]);
    await page.getByLabel("Search sessions").fill("nobody has this title");
    await main.getByText("No sessions found").waitFor();
    await page.getByLabel("Search sessions").fill("");

    const menu = async (title: string, item: string): Promise<void> => {
      await main.getByRole("button", { name: `Actions for ${title}` }).click();
      await page.getByRole("menuitem", { name: item }).click();
      await page.getByRole("menu").waitFor({ state: "hidden" });
    };
    await menu("Plain hay", "Rename");
    await page.getByRole("dialog").getByLabel("Title").fill("Golden hay");
    await page.keyboard.press("Enter");
    await main.getByRole("link", { name: "Golden hay" }).waitFor();
    await menu("Golden hay", "Archive");
    await expect.poll(() => main.getByRole("link", { name: "Golden hay" }).count()).toBe(0);
    await page.getByRole("button", { name: "Archived" }).click();
    await main.getByRole("link", { name: "Golden hay" }).waitFor();
    await menu("Golden hay", "Take out of the archive");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await main.getByRole("link", { name: "Golden hay" }).waitFor();
    await menu("Golden hay", "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => main.getByRole("link", { name: "Golden hay" }).count()).toBe(0);
    const left = (await stage.api.listSessions({ search: "hay" })).sessions.map(({ title }) => title);
    expect(left).toEqual(["Needle in the hay"]);
  });

  it("starts a session with everything chosen: workspace, model and variant, permission, a file and a picture", async () => {
    const page = await stage.visit("/new");
    await page.getByRole("combobox", { name: "Workspace" }).fill(stage.home.workspace);
    await page.getByLabel("Model").selectOption({ label: "Opus 5" });
    const variants = page.getByLabel("Variant");
    const [, variant = ""] = await variants.getByRole("option").evaluateAll(valuesOf);
    await variants.selectOption(variant);
    await page.getByRole("radio", { name: /^Full access/ }).check();
    await composer(page).fill(`${prompts.quick} about @ton`);
    await composer(page).press("End");
    await page.getByRole("option", { name: "docs/tone.md" }).waitFor();
    await page.keyboard.press("Enter");
    await pasteImage(composer(page));
    await page.getByRole("img", { name: "dot.png" }).waitFor();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await turnEnds(page, "Done");
    const id = new URL(page.url()).hash.split("/").at(-1) ?? "";
    const { model, permission, workspace } = await stage.api.getSession(id);
    expect({ model, permission, workspace }).toEqual({
      model: variant,
      permission: "full",
      workspace: stage.home.workspace,
    });
    const prompt = stage.home.prompts().findLast((text) => text.includes(prompts.quick)) ?? "";
    expect(prompt).toContain("@docs/tone.md");
    const [image = ""] = /\/\S+\.png/.exec(prompt) ?? [];
    expect(readFileSync(image).subarray(1, 4).toString()).toBe("PNG");
  });

  it.runIf(isFullRun())("starts in the background and stays where it is", async () => {
    const page = await stage.visit("/new");
    await composer(page).fill(prompts.quick);
    await page.keyboard.press("Control+Enter");
    await page.getByRole("main").getByRole("listitem").getByText("Done").waitFor();
    expect([new URL(page.url()).hash, await composer(page).inputValue()]).toEqual(["#/new", ""]);
  });

  it.runIf(isFullRun())("goes anywhere from the palette", async () => {
    await stage.session(undefined, { title: "Somewhere far down" });
    const page = await stage.visit();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /session, a screen/ }).waitFor();
    await page.keyboard.type("far down");
    await page.getByRole("option", { name: /Somewhere far down/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Somewhere far down" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("doctor");
    await page.getByRole("option", { name: "Doctor", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Doctor" }).waitFor();
    await page.getByRole("button", { name: "Check again" }).waitFor();
  });

  it.runIf(isFullRun())("lists its shortcuts, and they work", async () => {
    const page = await stage.visit();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Approve what waits").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("u");
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    await page.keyboard.press("i");
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "New session" }).waitFor();
  });

  it.runIf(isFullRun())("is light or dark as the system is, until the user chooses", async () => {
    const page = await stage.visit("/", { colorScheme: "dark" });
    const theme = () => page.locator("html").getAttribute("data-theme");
    await page.getByRole("button", { name: "More" }).waitFor();
    await expect.poll(theme).toBe("dark");
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(theme).toBe("light");
    for (const item of ["Theme: system", "Theme: light"]) {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    }
    await expect.poll(theme).toBe("dark");
    await page.reload();
    await page.getByRole("button", { name: "More" }).waitFor();
    await expect.poll(theme).toBe("dark");
  });

  it.runIf(isFullRun())("leads by keyboard alone from the sign-in to an answered turn", async () => {
    const page = await stage.newBrowser();
    await page.goto(stage.url);
    await page.getByRole("heading", { name: "Sign in to Caret" }).waitFor();
    const tabTo = async (name: RegExp): Promise<void> => {
      await expect
        .poll(async () => {
          await page.keyboard.press("Tab");
          return await page.evaluate<string>(focused);
        })
        .toMatch(name);
    };
    await tabTo(/paste the link/i);
    await page.keyboard.insertText((await stage.api.createLink()).url);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.keyboard.press("n");
    await composer(page).waitFor();
    await expect.poll(() => page.evaluate<string>(focused)).toMatch(/^Prompt/);
    await page.keyboard.type(prompts.approval);
    await page.keyboard.press("Enter");
    await readyApproval(page);
    await page.keyboard.press("Alt+a");
    await turnEnds(page, "Done");
    await transcript(page).getByText("They pass.").waitFor();
  });
});

/** The accessible name of what has the focus, roughly: its label, or its words. */
const focused = `(() => {
  const { activeElement: element } = document;
  return element?.getAttribute("aria-label") ?? element?.labels?.[0]?.innerText ?? element?.innerText ?? "";
})()`;

function valuesOf(options: readonly unknown[]): readonly string[] {
  return options.map((option) => (option as { readonly value: string }).value);
}
