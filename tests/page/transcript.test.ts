import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
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
import { prompts } from "./page-scenario.ts";
import { PageStage } from "./page-stage.ts";

/** Tall enough that nothing of a turn is out of sight, which is not drawn. */
const tall = { viewport: { width: 1440, height: 3200 } };

describe.skipIf(lacksChromium())("a session on the page", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open();
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("shows a card for every kind of tool, and what each did", async () => {
    const { id } = await stage.session(prompts.everyCard, { permission: "full" });
    const page = await stage.visit(`/s/${id}`, tall);
    await turnEnds(page, "Done");
    const all = transcript(page);

    await page.getByRole("button", { name: /^Thought/ }).click();
    await all.getByText("The greeting sounds cold.").waitFor();
    const shell = await openCard(page, /^Run printf/);
    expect(await shell.getByText("PASS", { exact: true }).evaluate(weightOf)).toBe("600");
    expect(await shell.getByText("exit 3", { exact: true }).count()).toBe(1);
    const edit = await openCard(page, /^Edit .*greet\.js/);
    expect(await edit.getByText(/Good to see you/).count()).toBeGreaterThan(0);
    await all.getByRole("button", { name: /^Explored 1 file, 1 search/ }).click();
    await (await openCard(page, /^Read .*greet\.js/)).getByText("export function greet").waitFor();
    await (await openCard(page, /^Search greet/)).getByText(/greet\.js:1/).waitFor();
    await (await openCard(page, /^Plan/)).getByText("Change the greeting").waitFor();
    await (await openCard(page, /^Fetch/)).getByText("nothing was fetched").waitFor();
    await (await openCard(page, /^Task/)).getByText("The simulated subagent looked at").waitFor();
    await (await openCard(page, /^tickets find_ticket/)).getByText("MCP server tickets is not connected").waitFor();
    await (await openCard(page, /^Unrecognised event/)).getByText(/"answer": 42/).waitFor();
    await (await openCard(page, /^teleport/)).getByText("Unknown tool: teleport").waitFor();
    await all.getByRole("button", { name: /^Todos.*3 of 3 done/ }).waitFor();
    await all.getByText("Which tone?").first().waitFor();
    await all.getByRole("table").getByText("Good to see you").waitFor();
    await all.getByRole("link", { name: "the guide" }).waitFor();

    await shell.getByRole("button", { name: "Raw" }).click();
    await shell.getByText(/"shellToolCall"/).waitFor();
    await page
      .getByText(/10\.2k in .* 340 out/i)
      .first()
      .waitFor();
  });

  it("is written while the agent speaks, and can be stopped", async () => {
    const { id } = await stage.session(prompts.longAnswer, { permission: "full" });
    const page = await stage.visit(`/s/${id}`);
    await transcript(page).getByText("Once upon a time").waitFor();
    const early = (await shownText(transcript(page))).length;
    await expect.poll(async () => (await shownText(transcript(page))).length).toBeGreaterThan(early);
    await stateLine(page).getByText("Writing").waitFor();
    await page.keyboard.press("Escape");
    await turnEnds(page, "Stopped");
    await stateLine(page).getByText("Stopped").waitFor();
  });

  it.runIf(isFullRun())("runs a command once it was approved with the mouse", async () => {
    const { id } = await stage.session(prompts.approval);
    const page = await stage.visit(`/s/${id}`);
    await approval(page).getByRole("group", { name: "Command" }).waitFor();
    await stateLine(page).getByText("Waiting for your approval").waitFor();
    await approval(page)
      .getByRole("button", { name: /^Approve/ })
      .click();
    await turnEnds(page, "Done");
    await transcript(page).getByText("Approved by you: Run a command").waitFor();
    await (await openCard(page, /^Run node greet\.js/)).getByText(/, you!/).waitFor();
  });

  it.runIf(isFullRun())("sends what was queued while it worked when the turn is over", async () => {
    const { id } = await stage.session(prompts.approval);
    const page = await stage.visit(`/s/${id}`);
    await approval(page).waitFor();
    await composer(page).fill(prompts.quick);
    await composer(page).press("Control+Enter");
    const queue = page.getByRole("region", { name: "Queued prompts" });
    await queue.getByText(prompts.quick).waitFor();
    expect(await composer(page).inputValue()).toBe("");
    await readyApproval(page);
    await page.keyboard.press("Alt+a");
    await transcript(page).getByText("Hello there.").waitFor();
    await expect.poll(() => queue.count()).toBe(0);
  });

  it("gets its question answered in place", async () => {
    const { id } = await stage.session(prompts.question);
    const page = await stage.visit(`/s/${id}`);
    const question = page.getByRole("form", { name: "Colour" });
    await question.getByRole("radio", { name: "Blue" }).check();
    await question.getByRole("button", { name: "Answer" }).click();
    await turnEnds(page, "Done");
    await page.getByRole("article", { name: "Colour" }).getByText("Blue").waitFor();
  });

  it.runIf(isFullRun())(
    "hears what is said to it while it works, and shows it as the words of the person",
    async () => {
      const { id } = await stage.session(prompts.approval);
      const page = await stage.visit(`/s/${id}`);
      await approval(page).waitFor();
      await composer(page).fill("Mind the gap");
      await page.getByRole("button", { name: "Steer" }).click();
      await page.getByRole("region", { name: "Said while the agent worked" }).getByText("Mind the gap").waitFor();
      expect(await composer(page).inputValue()).toBe("");
      await approval(page)
        .getByRole("button", { name: /^Approve/ })
        .click();
      await turnEnds(page, "Done");
    },
  );

  it.runIf(isFullRun())("offers to stop and send, and never to steer, where the agent cannot hear it", async () => {
    const { id } = await stage.session(prompts.longAnswer, { permission: "full" });
    const page = await stage.visit(`/s/${id}`);
    await transcript(page).getByText("Once upon a time").waitFor();
    await composer(page).fill(prompts.quick);
    expect(await page.getByRole("button", { name: "Steer" }).count()).toBe(0);
    await page.getByRole("button", { name: "Stop and send" }).click();
    await transcript(page).getByText("Hello there.").waitFor();
    await turnEnds(page, "Done");
    expect(await shownText(page.getByRole("region", { name: "End of turn" }).first())).toContain("Stopped");
  });

  it.runIf(isFullRun())("follows a turn that runs in a terminal, without buttons that cannot work", async () => {
    const prompt = `${prompts.longAnswer}, in a terminal`;
    const run = stage.caret("run", "--quiet", "--force", prompt);
    const page = await stage.visit("/");
    await page.getByRole("main").getByRole("link", { name: prompt }).click();
    await transcript(page).getByText("Once upon a time").waitFor();
    await page.getByText("Runs in a terminal", { exact: true }).waitFor();
    const buttons = page.getByRole("button", { name: /^(Stop|Steer|Send)/ });
    expect(await buttons.count()).toBe(0);
    await run;
    await turnEnds(page, "Done");
    await page.getByRole("button", { name: "Send" }).waitFor();
  });

  it("says why a turn failed and what to do, and tries again", async () => {
    const { id } = await stage.endedSession(prompts.failure);
    const page = await stage.visit(`/s/${id}`);
    await turnEnds(page, "Failed");
    await transcript(page).getByText("The account's usage limit for Opus is reached").waitFor();
    await transcript(page).getByText("Switch to another model").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => page.getByRole("region", { name: "Prompt" }).count()).toBe(2);
  });

  it.runIf(isFullRun())("goes on in a fork, which its title says, without touching where it came from", async () => {
    const session = await stage.endedSession(prompts.quick);
    const page = await stage.visit(`/s/${session.id}`);
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.waitForURL((url) => !url.hash.includes(session.id));
    await transcript(page).getByText("Hello there.").waitFor();
    await page.getByRole("heading", { name: `${prompts.quick} (fork)` }).waitFor();
    await composer(page).fill(prompts.quick);
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => page.getByRole("region", { name: "End of turn" }).count()).toBe(2);
    expect((await stage.api.getSession(session.id)).lastSeq).toBe(session.lastSeq);
  });

  it.runIf(isFullRun())("shows with what it works, and what it took", async () => {
    const { id } = await stage.endedSession(prompts.quick, { permission: "full" });
    const page = await stage.visit(`/s/${id}`);
    const facts = stateLine(page).getByRole("list", { name: "Works with" });
    await facts.getByText("sim lane (simulated)").waitFor();
    const words = await shownText(facts);
    expect({ namesWorkspace: words.includes("/workspace"), namesUsage: /40 in · 3 out/.test(words) }).toEqual({
      namesWorkspace: true,
      namesUsage: true,
    });
    await page.getByLabel("Permission").selectOption("supervised");
    await expect.poll(async () => (await stage.api.getSession(id)).permission).toBe("supervised");
  });

  it.runIf(isFullRun())("keeps what was typed when the page is left", async () => {
    const { id } = await stage.session();
    const page = await stage.visit(`/s/${id}`);
    await composer(page).fill("half a thought");
    await page.goto(`${stage.url}/#/`);
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.reload();
    await page.goto(`${stage.url}/#/s/${id}`);
    await expect.poll(() => composer(page).inputValue()).toBe("half a thought");
  });

  it.runIf(isFullRun())("is the same in two browsers, whichever of them answers", async () => {
    const { id } = await stage.session(prompts.approval);
    const one = await stage.visit(`/s/${id}`);
    const other = await stage.newBrowser();
    await other.goto((await stage.api.createLink()).url);
    await other
      .getByRole("link", { name: new RegExp(`${prompts.approval}.*Waiting for your approval`) })
      .first()
      .click();
    await approval(one).waitFor();
    await approval(other)
      .getByRole("button", { name: /^Approve/ })
      .click();
    for (const page of [one, other]) await turnEnds(page, "Done");
    expect(await approval(one).count()).toBe(0);
    expect(await plainText(one)).toBe(await plainText(other));
  });

  it.runIf(isFullRun())(
    "goes on in seven tabs of one browser at once: one more than its connections to a server",
    async () => {
      const { id } = await stage.session(prompts.approval);
      const first = await stage.visit(`/s/${id}`);
      const tabs = [first];
      for (let count = 1; count < 7; count += 1) {
        const tab = await first.context().newPage();
        await tab.goto(`${stage.url}/#/s/${id}`);
        await approval(tab).waitFor();
        tabs.push(tab);
      }
      await approval(first)
        .getByRole("button", { name: /^Approve/ })
        .click();
      for (const tab of tabs) {
        await tab.bringToFront();
        await turnEnds(tab, "Done");
      }
    },
  );

  async function plainText(page: Awaited<ReturnType<PageStage["visit"]>>): Promise<string> {
    // Times tick on their own.
    return (await shownText(transcript(page))).replaceAll(/\d+ (s|min|ms)( ago)?|now/g, "");
  }
});

interface Styled {
  getComputedStyle(element: unknown): { readonly fontWeight: string };
}

function weightOf(element: unknown): string {
  return (globalThis as unknown as Styled).getComputedStyle(element).fontWeight;
}
