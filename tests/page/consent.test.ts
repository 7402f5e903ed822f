import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { approval, composer, eventually, readyApproval, transcript, turnEnds } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage } from "./page-stage.ts";

describe.skipIf(lacksChromium())("consent on the page", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open();
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("puts what is typed into a waiting session into its prompt and approves nothing [ux A1]", async () => {
    const { id } = await stage.session(prompts.twoApprovals, { permission: "supervised" });
    const page = await stage.visit("/");
    await page
      .getByRole("link", { name: /one\.txt/ })
      .first()
      .click();
    await approval(page).getByText("the first").waitFor();
    await page.keyboard.type("and keep the logs");
    expect(await composer(page).inputValue()).toBe("and keep the logs");

    // Also when a click on the transcript took the focus away.
    await transcript(page).click({ position: { x: 5, y: 5 } });
    await page.keyboard.type("ad");
    expect(await composer(page).inputValue()).toBe("and keep the logsad");
    expect({
      url: new URL(page.url()).hash,
      waiting: (await stage.api.getSession(id)).status.kind,
      written: existsSync(join(stage.home.workspace, "one.txt")),
    }).toEqual({ url: `#/s/${id}`, waiting: "waiting", written: false });
    await page.keyboard.press("Escape");
    await turnEnds(page, "Stopped");
  });

  it("takes Alt+A from anywhere and a bare D on the focused card, each for one approval [ux A1]", async () => {
    const { id } = await stage.session(prompts.twoApprovals, { permission: "supervised" });
    const page = await stage.visit(`/s/${id}`);
    await approval(page).getByText("the first").waitFor();
    const approve = await readyApproval(page);
    await page.keyboard.press("Alt+a");
    await approval(page).getByText("the second").waitFor();
    // The card that has just appeared takes no decision yet.
    expect(await approve.isEnabled()).toBe(false);
    await (await readyApproval(page)).focus();
    await page.keyboard.press("d");
    await turnEnds(page, "Done");
    await transcript(page).getByText("Denied by you: Write two.txt").waitFor();
    const written = (name: string) => existsSync(join(stage.home.workspace, name));
    expect({ first: written("one.txt"), second: written("two.txt") }).toEqual({ first: true, second: false });
  });

  it("denies with a reason that the agent is given [ux A3]", async () => {
    const { id } = await stage.session(prompts.approval);
    const page = await stage.visit(`/s/${id}`);
    await approval(page).getByRole("button", { name: "Deny with a reason" }).click();
    await readyApproval(page);
    await page.keyboard.type("add the tests first");
    await page.keyboard.press("Enter");
    await turnEnds(page, "Done");
    await transcript(page)
      .getByText(/Denied by you: Run a command .*add the tests first/)
      .waitFor();
  });

  it("renames a session with what is typed at once, and starts nothing [ux B5]", async () => {
    const session = await stage.endedSession(prompts.quick);
    const page = await stage.visit(`/s/${session.id}`);
    await page.getByRole("button", { name: "Actions" }).first().click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.keyboard.type("Two notes, renamed");
    await page.keyboard.press("Enter");
    await eventually(async () => (await stage.api.getSession(session.id)).title).toBe("Two notes, renamed");
    expect(new URL(page.url()).hash).toBe(`#/s/${session.id}`);
  });
});
