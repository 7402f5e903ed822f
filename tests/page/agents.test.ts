import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { PageStage } from "./page-stage.ts";

const scenario: ScenarioInput = {
  turns: [
    {
      when: "^Paint",
      steps: [
        { tool: { server: "caret", name: "ask_human", args: { question: "Which colour?", wait_seconds: 60 } } },
        { text: "Painted." },
      ],
    },
    {
      when: "^Write",
      steps: [
        { tool: { server: "caret", name: "write", args: { path: "made.txt", content: "made\n" } } },
        { text: "Written." },
      ],
    },
  ],
};

describe.skipIf(lacksChromium())("agents on the page", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open({ scenario });
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("are created, given work, and answered from the inbox when they ask", async () => {
    const page = await stage.visit("/agents");
    await page.getByRole("button", { name: "New agent" }).click();
    const dialog = page.getByRole("dialog", { name: "New agent" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("ada");
    await dialog.getByRole("button", { name: "Create" }).click();
    const agents = page.getByRole("list", { name: "Agents" });
    await agents.getByRole("button", { name: "Message ada" }).click();
    await agents.getByRole("textbox", { name: "Message to ada" }).fill("Paint the fence");
    await agents.getByRole("button", { name: "Send" }).click();
    await agents.getByText("Which colour?").waitFor();
    await page.goto(`${stage.url}/#/`);
    const inbox = page.getByRole("region", { name: /^Waiting for you/ });
    await inbox.getByRole("textbox", { name: "Answer to ada" }).fill("Blue");
    await inbox.getByRole("button", { name: "Answer" }).click();
    await inbox.getByText("Nothing needs you right now").waitFor();
    await expect.poll(async () => (await stage.api.getAgent("ada")).lastLine).toBe("Painted.");
  });

  it.runIf(isFullRun())(
    "are compared: side by side, then in a table, from which one is picked and merged",
    async () => {
      const { workspace } = stage.home;
      const page = await stage.visit("/compare");
      await page.getByRole("textbox", { name: "Prompt" }).fill("Write a file");
      const models = page.getByRole("group", { name: /^Models/ }).getByRole("checkbox");
      await models.nth(0).check();
      await models.nth(1).check();
      await page.getByLabel("Workspace").fill(workspace);
      await page.getByRole("textbox", { name: "Check" }).fill("test -f made.txt");
      await page.getByRole("button", { name: "Compare" }).click();
      const rows = page.getByRole("table").getByRole("row");
      await rows.nth(2).waitFor();
      await rows
        .nth(1)
        .getByRole("button", { name: /^1 file/ })
        .click();
      await page.getByText("made.txt").first().waitFor();
      const check = await rows.nth(1).getByRole("cell").nth(2).textContent();
      await rows.nth(1).getByRole("button", { name: /^Pick/ }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
      await page.getByText("No worktree is left").waitFor();
      const worktrees = execFileSync("git", ["-C", workspace, "worktree", "list"], { encoding: "utf8" });
      expect({
        check,
        isMerged: existsSync(join(workspace, "made.txt")),
        worktrees: worktrees.trim().split("\n").length,
      }).toEqual({
        check: "passed",
        isMerged: true,
        worktrees: 1,
      });
    },
  );
});
