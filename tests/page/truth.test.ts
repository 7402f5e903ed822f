import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import {
  approval,
  composer,
  openCard,
  readyApproval,
  shownText,
  stateLine,
  transcript,
  turnEnds,
} from "./page-parts.ts";
import { PageStage } from "./page-stage.ts";

const prompts = {
  slow: "Run the slow one",
  connection: "Lose the connection",
  question: "Ask me something",
  hello: "Say hello",
} as const;

const slowCommand = "echo first; until [ -e go ]; do sleep 0.1; done; echo second";

const scenario: ScenarioInput = {
  turns: [
    {
      when: prompts.slow,
      steps: [{ tool: { server: "caret", name: "exec", args: { command: slowCommand } } }, { text: "It ran." }],
    },
    { when: prompts.connection, steps: [{ text: "Before. " }, { reconnect: { attempt: 2 } }, { text: "After." }] },
    {
      when: prompts.question,
      steps: [
        {
          tool: {
            name: "askQuestion",
            args: { title: "Tone", questions: [{ prompt: "Which?", options: ["A", "B"] }] },
          },
        },
        { text: "I chose." },
      ],
    },
    { when: prompts.hello, steps: [{ text: "Hello." }] },
  ],
};

describe.skipIf(lacksChromium())("what the page says happened", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open({ scenario });
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("shows what a command prints while it runs, and counts no wait for a person as running", async () => {
    const { id } = await stage.session(prompts.slow);
    const page = await stage.visit(`/s/${id}`);
    await stateLine(page).getByText("Waiting for your approval").waitFor();
    expect(await shownText(transcript(page))).not.toContain("Running");
    await (await readyApproval(page)).click();
    const card = await openCard(page, /^Run echo first/);
    await card.getByText("first", { exact: true }).waitFor();
    expect(await shownText(card)).toMatch(/Running/);
    writeFileSync(join(stage.home.workspace, "go"), "");
    await turnEnds(page, "Done");
    await card.getByText("second", { exact: true }).waitFor();
  });

  it("says of a call that was stopped while it waited that it was not run, and who stopped it", async () => {
    const { id } = await stage.session(prompts.slow);
    const page = await stage.visit(`/s/${id}`);
    await approval(page).waitFor();
    await page.keyboard.press("Escape");
    await turnEnds(page, "Stopped");
    await transcript(page).getByText("Not run: you stopped the turn · Run a command").waitFor();
    expect(await shownText(transcript(page))).not.toMatch(/Denied|Interrupted|policy/);
  });

  it.runIf(isFullRun())("shows one reconnect in one row", async () => {
    const { id } = await stage.session(prompts.connection, { permission: "full" });
    const page = await stage.visit(`/s/${id}`);
    await turnEnds(page, "Done");
    await transcript(page).getByText("Reconnected after 2 tries").waitFor();
    expect(await shownText(transcript(page))).not.toMatch(/reconnecting|Connection/);
  });

  it.runIf(isFullRun())("says that nobody was asked, and not that a user skipped it", async () => {
    const { id } = await stage.session(prompts.question, { permission: "full" });
    const page = await stage.visit(`/s/${id}`);
    await turnEnds(page, "Done");
    await transcript(page).getByText("Not asked: Cursor's CLI cannot ask in this mode.").waitFor();
    expect(await shownText(transcript(page))).not.toMatch(/skipped by the user/i);
  });

  it.runIf(isFullRun())("leads from a session that does not exist to all of them", async () => {
    stage.allow(/404/);
    const page = await stage.visit("/s/nope");
    await page.getByText("There is no such session").waitFor();
    await page.getByRole("link", { name: "Go to all sessions" }).click();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
  });

  it.runIf(isFullRun())("says which file can be imported", async () => {
    stage.allow(/400/);
    const page = await stage.visit("/");
    await page.getByRole("button", { name: "More" }).first().click();
    await page.getByRole("menuitem", { name: "Import a session" }).click();
    const dialog = page.getByRole("dialog", { name: "Import a session" });
    await dialog
      .getByLabel(/Drop an \.ndjson file/)
      .setInputFiles({ name: "a.ndjson", mimeType: "application/x-ndjson", buffer: Buffer.from("{}\n") });
    await dialog.getByText('Choose a file that was exported as "Replayable NDJSON"').waitFor();
  });

  it("says that a change of the permission begins a new chat, and that the agent was given the transcript", async () => {
    const { id } = await stage.endedSession(prompts.hello);
    const page = await stage.visit(`/s/${id}`);
    await page.getByLabel("Permission").selectOption("full");
    await expect.poll(async () => (await stage.api.getSession(id)).permission).toBe("full");
    await composer(page).fill(prompts.hello);
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => page.getByRole("region", { name: "End of turn" }).count()).toBe(2);
    await transcript(page)
      .getByText(/^The agent began a new chat .* It was given the transcript of the earlier turns\.$/)
      .waitFor();
  });

  it.runIf(isFullRun())("marks simulated sessions once for all where all are simulated", async () => {
    await stage.endedSession(prompts.hello);
    const page = await stage.visit("/");
    await page.getByRole("main").getByRole("link", { name: prompts.hello }).first().waitFor();
    expect(await page.getByRole("main").getByText("Simulated", { exact: true }).count()).toBe(0);
    expect(await page.getByText("Simulated answers, real tools.").filter({ visible: true }).count()).toBe(1);
  });
});
