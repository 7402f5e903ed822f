import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { approval, composer, readyApproval, shownText, transcript, turnEnds } from "./page-parts.ts";
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

  it("puts what is typed into a waiting session into its prompt and approves nothing", async () => {
    const { id } = await stage.session(prompts.twoApprovals, { permission: "supervised" });
    const page = await stage.visit("/");
    await page
      .getByRole("region", { name: /^Waiting for you/ })
      .getByRole("link", { name: new RegExp(prompts.twoApprovals) })
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

  it.runIf(isFullRun())(
    "takes Alt+A from anywhere and a bare D on the focused card, each for one approval",
    async () => {
      const { id } = await stage.session(prompts.twoApprovals, { permission: "supervised" });
      const page = await stage.visit(`/s/${id}`);
      await approval(page).getByText("the first").waitFor();
      await readyApproval(page);
      const isShutAtFirst = page.evaluate(shutAtFirst("Approval: Write two.txt"));
      await page.keyboard.press("Alt+a");
      await approval(page).getByText("the second").waitFor();
      // The card that has just appeared takes no decision yet.
      expect(await isShutAtFirst).toBe(true);
      await (await readyApproval(page)).focus();
      await page.keyboard.press("d");
      await turnEnds(page, "Done");
      await transcript(page).getByText("Denied by you: Write two.txt").waitFor();
      const written = (name: string) => existsSync(join(stage.home.workspace, name));
      expect({ first: written("one.txt"), second: written("two.txt") }).toEqual({ first: true, second: false });
    },
  );

  const guide = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join("");

  it.runIf(isFullRun())("shows what an overwrite would lose", async () => {
    writeFileSync(join(stage.home.workspace, "guide.md"), guide);
    const { id } = await stage.session(prompts.overwrite, { permission: "supervised" });
    const page = await stage.visit(`/s/${id}`);
    const change = approval(page).getByRole("figure", { name: /^Proposed change in .*guide\.md/ });
    await change.getByText("line 40").waitFor();
    await change.getByText("# Gone").waitFor();
    await page.keyboard.press("Escape");
    await turnEnds(page, "Stopped");
  });

  it.runIf(isFullRun())("shows an edit at its real line, and asks nobody about one that cannot apply", async () => {
    writeFileSync(join(stage.home.workspace, "guide.md"), guide);
    const { id } = await stage.session(prompts.editInTheMiddle, { permission: "supervised" });
    const page = await stage.visit(`/s/${id}`);
    const change = approval(page).getByRole("figure", { name: /^Proposed change in .*guide\.md/ });
    await change.getByText("line twenty").waitFor();
    expect(await shownText(change)).toMatch(/(^|\n)20\b/);
    await (await readyApproval(page)).click();
    await turnEnds(page, "Done");
    const { events } = await stage.api.readLog(id, { limit: 1_000 });
    const asked = events.filter(({ event }) => event.type === "approval-request").length;
    expect({ asked, file: readFileSync(join(stage.home.workspace, "guide.md"), "utf8").split("\n")[19] }).toEqual({
      asked: 1,
      file: "line twenty",
    });
  });

  it("shows the whole command with what it hides, and why it asks", async () => {
    const { id } = await stage.session(prompts.hiddenText);
    const page = await stage.visit(`/s/${id}`);
    const command = approval(page).getByRole("group", { name: "Command" });
    await expect.poll(() => shownText(command)).toBe('$ TOKEN="a1b2c3d4$(touch owned)" printf "<U+202E>gnp.exe"');
    await page.keyboard.press("Escape");
    await turnEnds(page, "Stopped");
  });

  it.runIf(isFullRun())("says that a command is dangerous and why", async () => {
    const { id } = await stage.session(prompts.dangerous, { permission: "auto" });
    const page = await stage.visit(`/s/${id}`);
    await approval(page)
      .getByText(/^Dangerous: /)
      .waitFor();
    await page.keyboard.press("Escape");
    await turnEnds(page, "Stopped");
  });

  it.runIf(isFullRun())("allows for the session exactly what the button says, lists it and takes it back", async () => {
    const { id } = await stage.session(prompts.approval);
    const page = await stage.visit(`/s/${id}`);
    const allow = /^Always allow exactly node greet\.js in this session$/;
    await approval(page).getByRole("button", { name: allow }).click();
    await turnEnds(page, "Done");

    // The same command is not asked about again; another one of the same tool is.
    await stage.api.startTurn(id, { prompt: prompts.approval });
    await expect.poll(() => page.getByRole("region", { name: "End of turn" }).count()).toBe(2);
    expect(await approval(page).count()).toBe(0);
    await stage.api.startTurn(id, { prompt: prompts.dangerous });
    await approval(page).getByText("rm -rf ./docs && git clean -fdx").waitFor();
    expect(
      await approval(page)
        .getByRole("button", { name: /^Always allow/ })
        .count(),
    ).toBe(0);
    await page.keyboard.press("Escape");
    await turnEnds(page, "Stopped");

    await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Allowed in this session" }).click();
    const dialog = page.getByRole("dialog", { name: "Allowed in this session" });
    await dialog
      .getByRole("listitem")
      .filter({ hasText: "node greet.js" })
      .getByRole("button", { name: "Revoke" })
      .click();
    await dialog.getByText("Nothing yet").waitFor();
    await page.keyboard.press("Escape");
    await stage.api.startTurn(id, { prompt: prompts.approval });
    await approval(page).getByRole("group", { name: "Command" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(async () => (await stage.api.getSession(id)).status.kind).toBe("ended");
  });

  it.runIf(isFullRun())("decides from the list of what waits, with everything in sight", async () => {
    const { id } = await stage.session(prompts.approval);
    const page = await stage.visit("/");
    const inbox = page.getByRole("region", { name: /^Waiting for you/ });
    await inbox.getByRole("group", { name: "Command" }).getByText("node greet.js").waitFor();
    await inbox.getByRole("button", { name: /^Approve$/ }).click();
    await expect.poll(async () => (await stage.api.getSession(id)).status).toMatchObject({ outcome: "completed" });
    await inbox.getByText("Nothing needs you right now.").waitFor();
    expect(new URL(page.url()).hash).toBe("#/");
  });

  it("denies with a reason that the agent is given", async () => {
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

  it.runIf(isFullRun())("renames a session with what is typed at once, and starts nothing", async () => {
    const session = await stage.endedSession(prompts.quick);
    const page = await stage.visit(`/s/${session.id}`);
    await page.getByRole("button", { name: "Actions" }).first().click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.keyboard.type("Two notes, renamed");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await stage.api.getSession(session.id)).title).toBe("Two notes, renamed");
    expect(new URL(page.url()).hash).toBe(`#/s/${session.id}`);
  });
});

/** In the page: whether the first button of this card was disabled when the card appeared, however slow the machine is. */
function shutAtFirst(label: string): string {
  return `new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const button = document.querySelector('article[aria-label="${label}"] footer button');
      if (button === null) return;
      observer.disconnect();
      resolve(button.disabled);
    });
    observer.observe(document.body, { childList: true, subtree: true });
  })`;
}
