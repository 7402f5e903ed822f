import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScenarioInput } from "@caret/simulator";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { composer, pasteImage, shownText, transcript, turnEnds } from "./page-parts.ts";
import { PageStage, phone } from "./page-stage.ts";

const prompts = {
  hello: "Say hello",
  plan: "Plan a greeting",
  wait: "Wait for me",
  build: "Carry out the plan",
  question: "Choose a colour",
} as const;

const gatewayTool = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });

const scenario: ScenarioInput = {
  turns: [
    {
      when: prompts.plan,
      steps: [
        { tool: { name: "createPlan", args: { name: "A greeting", plan: "1. Write it" } } },
        gatewayTool("write", { path: "too-early.txt", content: "x" }),
        { text: "That is the plan." },
      ],
    },
    {
      when: prompts.build,
      steps: [gatewayTool("write", { path: "greeting.txt", content: "Hi\n" }), { text: "Built." }],
    },
    { when: prompts.wait, steps: [gatewayTool("exec", { command: "sleep 60" }), { text: "Waited." }] },
    {
      when: prompts.question,
      steps: [
        gatewayTool("ask_user", {
          title: "Colour",
          questions: [{ id: "q", prompt: "Which colour?", options: [{ id: "r", label: "Red" }] }],
        }),
        { text: "Noted." },
      ],
    },
    { when: prompts.hello, steps: [{ text: "Hello there." }] },
  ],
};

const queue = (page: Page) => page.getByRole("region", { name: "Queued prompts" });
const asked = (page: Page) => page.getByRole("region", { name: "Prompt" });

describe.skipIf(lacksChromium())("prompts on the page", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open({ scenario });
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("wait in a queue in which they can be changed and removed, and which is held when the turn is stopped", async () => {
    const { id } = await stage.session(prompts.wait);
    const page = await stage.visit(`/s/${id}`);
    for (const text of ["First thing", "Second thing", prompts.hello]) {
      await composer(page).fill(text);
      await page.getByRole("button", { name: "Queue", exact: true }).click();
      await queue(page).getByText(text).waitFor();
    }
    await queue(page).getByRole("button", { name: "Remove “First thing”" }).click();
    await queue(page).getByRole("button", { name: "Change “Second thing”" }).click();
    await queue(page).getByRole("textbox", { name: "Queued prompt" }).fill(`${prompts.hello}, twice`);
    await queue(page).getByRole("button", { name: "Save" }).click();
    await expect.poll(() => queue(page).getByRole("listitem").count()).toBe(2);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await queue(page).getByText("Held: the last turn was stopped.").waitFor();
    await queue(page).getByRole("button", { name: "Send next" }).click();
    await expect.poll(() => queue(page).count()).toBe(0);
    await expect.poll(() => asked(page).count()).toBe(3);
    expect(await shownText(asked(page).nth(1))).toContain(`${prompts.hello}, twice`);
  });

  it("that wait survive the death of the gateway", async () => {
    const { id } = await stage.session(prompts.wait);
    await stage.api.queuePrompt(id, { prompt: prompts.hello });
    const restart = await stage.killGateway();
    await restart();
    const page = await stage.visit(`/s/${id}`);
    await queue(page).getByText("Held: the last turn failed.").waitFor();
    await queue(page).getByRole("button", { name: "Send next" }).click();
    await transcript(page).getByText("Hello there.").waitFor();
  });

  it("come back with the arrow keys, and leave what is being written alone", async () => {
    const { id } = await stage.endedSession(prompts.hello);
    const page = await stage.visit(`/s/${id}`);
    await composer(page).press("ArrowUp");
    expect(await composer(page).inputValue()).toBe(prompts.hello);
    await composer(page).press("ArrowDown");
    expect(await composer(page).inputValue()).toBe("");
    await composer(page).fill("half a thought");
    await composer(page).press("ArrowUp");
    expect(await composer(page).inputValue()).toBe("half a thought");
  });

  it("are asked otherwise in a fork, which names where it came from, as that names the fork", async () => {
    const { id } = await stage.endedSession(prompts.hello);
    const page = await stage.visit(`/s/${id}`);
    await page.getByRole("button", { name: "Edit this prompt" }).click();
    await page.getByRole("textbox", { name: "Former prompt" }).fill(`${prompts.hello}, please`);
    await page.keyboard.press("Control+Enter");
    await page.waitForURL((url) => !url.hash.includes(id));
    await turnEnds(page, "Done");
    expect([await asked(page).count(), await shownText(asked(page).first())]).toEqual([
      1,
      expect.stringContaining(`${prompts.hello}, please`),
    ]);
    const links = page.getByRole("navigation", { name: "Forks" });
    await links.getByText("Forked from").waitFor();
    await links.getByRole("link").click();
    await page.waitForURL((url) => url.hash.includes(id));
    await links.getByRole("link", { name: `${prompts.hello} (fork)` }).waitFor();
    expect(await shownText(asked(page).first())).not.toContain("please");
  });

  it("may only plan: nothing is changed until the plan is built", async () => {
    const { id } = await stage.session();
    const page = await stage.visit(`/s/${id}`);
    await composer(page).fill("/pl");
    await page.getByRole("listbox", { name: "Commands" }).getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("combobox", { name: /^Mode\b/ }).inputValue()).toBe("plan");
    await composer(page).fill(prompts.plan);
    await page.keyboard.press("Enter");
    await turnEnds(page, "Done");
    const changed = async () => (await stage.api.changes(id)).files.map(({ path }) => path);
    expect(await changed()).toEqual([]);
    await page.getByRole("button", { name: "Build this plan" }).click();
    await transcript(page).getByText("Built.").waitFor();
    expect([await changed(), await page.getByRole("combobox", { name: /^Mode\b/ }).inputValue()]).toEqual([
      ["greeting.txt"],
      "agent",
    ]);
  });

  it("begin with / for what the page does, and go to the agent where it does not know the command", async () => {
    const { id } = await stage.endedSession(prompts.hello);
    const page = await stage.visit(`/s/${id}`);
    await composer(page).fill("/permission ");
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /^Supervised/ })
      .click();
    await expect.poll(async () => (await stage.api.getSession(id)).permission).toBe("supervised");
    expect(await composer(page).inputValue()).toBe("");
    await composer(page).fill("/compress");
    await page.keyboard.press("Enter");
    await expect.poll(() => asked(page).count()).toBe(2);
    expect(await shownText(asked(page).nth(1))).toContain("/compress");
    await composer(page).fill("/changes");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.hash.endsWith("/changes"));
  });

  it("begin with the agent's own commands, whose text they become", async () => {
    const { id } = await stage.session();
    mkdirSync(join(stage.home.workspace, ".cursor/commands"), { recursive: true });
    writeFileSync(join(stage.home.workspace, ".cursor/commands/greet.md"), `# Greet\n\n${prompts.hello} to all.\n`);
    const page = await stage.visit(`/s/${id}`);
    await composer(page).fill("/gre");
    await page.getByRole("option", { name: "/greet Greet (of this workspace)" }).click();
    expect(await composer(page).inputValue()).toBe(`# Greet\n\n${prompts.hello} to all.`);
    await composer(page).fill("/greet and the walrus");
    await page.keyboard.press("Enter");
    await transcript(page).getByText("Hello there.").waitFor();
    expect(await shownText(asked(page).first())).toContain(`${prompts.hello} to all.\n\nand the walrus`);
  });

  it("name folders and symbols of the workspace with @, with the keyboard or a finger", async () => {
    const { id } = await stage.session();
    const page = await stage.visit(`/s/${id}`, phone);
    await composer(page).tap();
    await composer(page).pressSequentially("Look at @doc");
    await page.getByRole("option", { name: "docs/", exact: true }).tap();
    expect(await composer(page).inputValue()).toBe("Look at @docs/ ");
    await composer(page).pressSequentially("and @gree");
    await page.getByRole("option", { name: "greet greet.js:1" }).tap();
    expect(await composer(page).inputValue()).toBe("Look at @docs/ and @greet.js:1 ");
  });

  it("are answered in a person's own words where no option fits", async () => {
    const { id } = await stage.session(prompts.question);
    const page = await stage.visit(`/s/${id}`);
    const form = page.getByRole("form", { name: "Colour" });
    await form.getByRole("textbox", { name: /^In your own words/ }).fill("A dark green");
    await page.keyboard.press("Enter");
    await turnEnds(page, "Done");
    await page.getByRole("article", { name: "Colour" }).getByText("“A dark green”").waitFor();
  });

  it("are refused their pictures before Send where no lane can take them", async () => {
    const { id } = await stage.session();
    const page = await stage.visit(`/s/${id}`);
    await composer(page).fill(prompts.hello);
    await pasteImage(composer(page));
    await page
      .getByRole("alert")
      .getByText(/The sim lane cannot|No agent here can/)
      .waitFor();
    expect(await page.getByRole("button", { name: "Send" }).isEnabled()).toBe(false);
    await page.getByLabel("Permission").selectOption("full");
    await expect.poll(() => page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
  });
});
