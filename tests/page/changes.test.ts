import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { SessionView } from "@caret/protocol";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { transcript } from "./page-parts.ts";
import { PageStage, phone } from "./page-stage.ts";

describe.skipIf(lacksChromium())("the changes of a session", () => {
  let stage: PageStage;
  const file = (name: string): string => join(stage.home.workspace, name);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", stage.home.workspace, ...args], { encoding: "utf8" }).trim();
  beforeAll(async () => {
    stage = await PageStage.open();
    git("config", "user.name", "T");
    git("config", "user.email", "t@example.invalid");
    git("remote", "add", "origin", "git@github.example:team/tool.git");
    writeFileSync(file("long.txt"), lines({}));
    git("add", "-A");
    git("commit", "-qm", "A long file");
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  /** A session that begins now, and two changes of the long file since. */
  async function changed(): Promise<SessionView> {
    writeFileSync(file("mine.txt"), "changed before the session\n");
    const session = await stage.session(undefined, { title: "Shorten the list" });
    await expect.poll(async () => (await stage.api.sessionChanges(session.id)).since).toBe("session");
    writeFileSync(file("long.txt"), lines({ 2: "second", 38: "thirty-eighth" }));
    return session;
  }

  it("show what changed since it began, lose the hunk that is discarded, and are committed on a new branch", async () => {
    const { id } = await changed();
    const page = await stage.visit(`/s/${id}/changes`);
    const main = page.getByRole("main");
    await main.getByText("thirty-eighth").waitFor();
    expect(await main.getByText("mine.txt").count()).toBe(0);
    await expectNoViolations(page);
    await main
      .getByRole("region", { name: /^long\.txt, line/ })
      .first()
      .getByRole("button", { name: "Discard" })
      .click();
    await page.getByRole("dialog", { name: "Discard this change?" }).getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => main.getByText("second", { exact: true }).count()).toBe(0);
    expect(readFileSync(file("long.txt"), "utf8")).toBe(lines({ 38: "thirty-eighth" }));
    await main.getByRole("button", { name: "Commit…" }).click();
    const dialog = page.getByRole("dialog", { name: "Commit 1 file" });
    expect(await dialog.getByLabel("Message").inputValue()).toBe("Shorten the list");
    await dialog.getByLabel("New branch").fill("shorter");
    await expectNoViolations(page);
    await dialog.getByRole("button", { name: "Commit" }).click();
    await page.getByText(/Committed \w{8} on shorter/).waitFor();
    expect([git("log", "-1", "--format=%s"), git("status", "--short")]).toEqual(["Shorten the list", "?? mine.txt"]);
    const link = main.getByRole("link", { name: "Pull request" });
    const compare = "https://github.example/team/tool/compare/shorter?expand=1";
    await expect.poll(() => link.getAttribute("href")).toBe(compare);
  });

  it("take comments on lines, which become a prompt for the agent, on a phone", async () => {
    const { id } = await changed();
    const page = await stage.visit(`/s/${id}/changes`, phone);
    const hunk = page.getByRole("region", { name: /^long\.txt, line/ }).first();
    await hunk.getByRole("button", { name: "Comment" }).click();
    await hunk.getByRole("textbox", { name: "Comment on line 2" }).fill("Say hello instead.");
    await expectNoViolations(page);
    await page.getByRole("button", { name: "Send 1 comment to the agent" }).click();
    await transcript(page).getByText("Say hello instead.").first().waitFor();
    const { events } = await stage.api.readLog(id, { limit: 1 });
    expect(events[0]?.event).toMatchObject({
      prompt: "A comment on your changes:\n\nlong.txt:2 (a line that was removed)\n> line 2\nSay hello instead.",
    });
    await stage.settled(id);
  });
});

function lines(changed: Readonly<Record<number, string>>): string {
  return Array.from({ length: 40 }, (_, index) => `${changed[index + 1] ?? `line ${index + 1}`}\n`).join("");
}

async function expectNoViolations(page: Page): Promise<void> {
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}
