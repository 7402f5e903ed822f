import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { command } from "../clients/gateway-process.ts";
import { lacksChromium } from "./chromium.ts";
import { composer, pasteImage, shownText, transcript, turnEnds } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage } from "./page-stage.ts";

describe.skipIf(lacksChromium())("what the page says to a newcomer", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open();
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("says that the simulator's tools are real before a session starts", async () => {
    const page = await stage.visit("/new");
    await page
      .getByText("Simulated answers, real tools: it changes files and runs commands in the workspace.")
      .waitFor();
    await page.getByText("Simulated answers, real tools.", { exact: true }).waitFor();
  });

  it.runIf(isFullRun())("says what an empty workspace field means here", async () => {
    const page = await stage.visit("/new");
    await page.getByText(`If empty: ${stage.home.workspace}.`).waitFor();
  });

  it.runIf(isFullRun())(
    "labels the model and the permission beside the prompt, and shares no word between them",
    async () => {
      const { id } = await stage.endedSession(prompts.quick);
      const page = await stage.visit(`/s/${id}`);
      const options = async (label: string) => await page.getByLabel(label).getByRole("option").allInnerTexts();
      await composer(page).waitFor();
      const models = await options("Model");
      expect({
        permissions: await options("Permission"),
        shared: (await options("Permission")).filter((word) => models.includes(word)),
        shownLabel: await shownText(page.getByText("Permission", { exact: true })),
      }).toEqual({
        permissions: ["Supervised", "Auto-accept edits", "Auto-run commands", "Full access"],
        shared: [],
        shownLabel: "Permission",
      });
    },
  );

  it("works in the newcomer's own project after one confirmed click", async () => {
    const project = join(stage.home.directory, "my project");
    mkdirSync(project);
    const page = await stage.visit("/new");
    await page.getByRole("combobox", { name: "Workspace" }).fill(project);
    await composer(page).fill(prompts.quick);
    stage.allow(/403/);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("dialog", { name: "Allow this directory?" }).getByText(project).waitFor();
    await page.getByRole("button", { name: "Allow and start" }).click();
    await turnEnds(page, "Done");
    const [session] = (await stage.api.listSessions({ limit: 1 })).sessions;
    expect(session?.workspace).toBe(realpathSync(project));
  });

  it.runIf(isFullRun())("refuses as before when the newcomer cancels, and names the command and the file", async () => {
    const project = join(stage.home.directory, "not this");
    mkdirSync(project);
    const page = await stage.visit("/new");
    await page.getByRole("combobox", { name: "Workspace" }).fill(project);
    await composer(page).fill(prompts.quick);
    stage.allow(/403/);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    const words = await shownText(page.getByRole("alert").filter({ hasText: "may not work in" }));
    expect(words).toContain(`${command} workspaces allow '${realpathSync(project)}'`);
    expect(words).toMatch(/workspaces\.allow` in \/.*\/caret\/caret\.json/);
  });

  it("offers a sample project", async () => {
    const page = await stage.visit("/new");
    await page.getByRole("button", { name: "Use a sample project" }).click();
    await expect.poll(() => page.getByRole("combobox", { name: "Workspace" }).inputValue()).toMatch(/sample-project$/);
    await composer(page).fill(prompts.quick);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await turnEnds(page, "Done");
  });

  it("names the command that works here on the sign-in screen", async () => {
    const page = await stage.newBrowser();
    await page.goto(stage.url);
    await page.getByText(`${command} link`, { exact: true }).waitFor();
  });

  it("says before sending that the permission lets no picture through, and shows the picture that was sent", async () => {
    const page = await stage.visit("/new");
    await composer(page).fill(prompts.quick);
    await pasteImage(composer(page));
    await page.getByRole("alert").getByText("No agent here can be given images: choose full access").waitFor();
    const start = page.getByRole("button", { name: "Start", exact: true });
    expect(await start.isEnabled()).toBe(false);
    await page.getByRole("radio", { name: /^Full access/ }).check();
    await start.click();
    await turnEnds(page, "Done");
    const prompt = page.getByRole("region", { name: "Prompt" });
    const picture = prompt.getByRole("img", { name: "Picture 1" });
    await expect
      .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1);
    expect(await shownText(transcript(page))).not.toMatch(/attached_images|attachments/);

    // And the next session is not given full access because of it.
    await page.goto(`${stage.url}/#/new`);
    await expect.poll(() => page.getByRole("radio", { name: /^Auto-accept edits/ }).isChecked()).toBe(true);
  });

  it.runIf(isFullRun())("keeps the message about a wrong file beside the one about sending", async () => {
    const page = await stage.visit("/new");
    await page
      .getByLabel("Images to add")
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no picture") });
    await page.getByText("notes.txt is not a PNG, JPEG, GIF or WebP image.").waitFor();
    await page.getByRole("combobox", { name: "Workspace" }).fill("/nowhere/at/all");
    await composer(page).fill(prompts.quick);
    stage.allow(/^4\d\d: POST|status of 4\d\d/);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page
      .getByRole("alert")
      .getByText(/\/nowhere\/at\/all/)
      .waitFor();
  });
});
