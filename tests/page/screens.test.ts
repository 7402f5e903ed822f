import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { SessionView } from "@caret/protocol";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { approval, shownText, transcript, turnEnds } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage, phone } from "./page-stage.ts";

describe.skipIf(lacksChromium())("the screens", () => {
  let stage: PageStage;
  let every: SessionView;
  let asked: SessionView;
  let waiting: SessionView;
  beforeAll(async () => {
    stage = await PageStage.open();
    every = await stage.endedSession(prompts.everyCard, { permission: "full" });
    waiting = await stage.session(prompts.approval);
    asked = await stage.session(prompts.question);
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it.runIf(isFullRun())("shows what has changed since the session began, and since the last commit", async () => {
    writeFileSync(join(stage.home.workspace, "new.txt"), "a new file\n");
    const page = await stage.visit(`/s/${every.id}/changes`);
    const file = page.getByRole("button", { name: /^greet\.js/ });
    await file.waitFor();
    await page.getByText("Good to see you").first().waitFor();
    // Coloured as in the transcript: a keyword is an element of its own.
    await page
      .getByRole("region", { name: /^greet\.js, line/ })
      .getByText("export", { exact: true })
      .waitFor();
    await page.getByRole("button", { name: /^new\.txt.*added/ }).waitFor();
    await page.getByRole("button", { name: "Since the last commit" }).click();
    await page.getByRole("button", { name: /^new\.txt.*untracked/ }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await expect.poll(() => file.getAttribute("aria-expanded")).toBe("false");
    writeFileSync(join(stage.home.workspace, "later.txt"), "even newer\n");
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("button", { name: /^later\.txt/ }).waitFor();
  });

  it.runIf(isFullRun())("says plainly where there is no repository", async () => {
    const { id } = await stage.session(undefined, { workspace: stage.bareWorkspace });
    const page = await stage.visit(`/s/${id}/changes`);
    await page.getByText("Not a repository").waitFor();
    await page.getByText(`${stage.bareWorkspace} is not inside a Git repository`).waitFor();
  });

  it.runIf(isFullRun())("adds up usage by day, model and session", async () => {
    const page = await stage.visit("/usage");
    await page.getByText("at Cursor's list prices", { exact: true }).waitFor();
    await page.getByRole("table").first().getByText("9k").waitFor();
    await page.getByRole("button", { name: "By model" }).click();
    await page.getByRole("table", { name: "Usage by model" }).waitFor();
    await page.getByRole("button", { name: "By session" }).click();
    await page
      .getByRole("table", { name: "Usage by session" })
      .getByRole("link", { name: prompts.everyCard })
      .waitFor();
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByRole("table", { name: "Usage by session" }).waitFor();
  });

  it("tests each door for real, and makes a token that works", async () => {
    const page = await stage.visit("/connect");
    for (const name of ["Chat Completions", "Responses", "Messages"]) {
      await page.getByRole("button", { name: `Test ${name}` }).click();
    }
    await expect.poll(() => page.getByText("It answered").count()).toBe(3);
    await page.getByRole("navigation", { name: "Clients" }).getByRole("button", { name: "curl" }).click();
    await page.getByRole("button", { name: /^Make a token/ }).click();
    await page.getByRole("button", { name: "Copy the token" }).waitFor();
    const [token = ""] = /caret_\S+/.exec(await shownText(page.getByRole("main"))) ?? [];
    const models = await fetch(`${stage.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
    expect({ isTokenLong: token.length > 20, status: models.status }).toEqual({ isTokenLong: true, status: 200 });
  });

  it.runIf(isFullRun())("examines the machine", async () => {
    const page = await stage.visit("/doctor");
    await page.getByText("simulator", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Copy as text" }).waitFor();
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByRole("button", { name: "Check again" }).waitFor();
  });

  it.runIf(isFullRun())("saves a session in each format, and opens what was saved as a new one", async () => {
    const page = await stage.visit(`/s/${every.id}`);
    await turnEnds(page, "Done");
    const downloads = mkdtempSync(join(tmpdir(), "caret-downloads-"));
    onTestFinished(() => rmSync(downloads, { recursive: true, force: true }));
    const save = async (format: string): Promise<string> => {
      await page.getByRole("button", { name: "Export or replay this session" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: format }).click(),
      ]);
      // The browser runs in another process, whose directory of downloads is not ours.
      const path = join(downloads, download.suggestedFilename());
      await download.saveAs(path);
      return path;
    };
    const heads = [];
    for (const format of ["Markdown", "HTML page", "Agent stream NDJSON"])
      heads.push(readFileSync(await save(format), "utf8").slice(0, 200));
    expect(heads).toEqual([
      expect.stringContaining(prompts.everyCard),
      expect.stringMatching(/^<!doctype html>/i),
      expect.stringContaining('"chatId"'),
    ]);
    const file = await save("Replayable NDJSON");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Import a session" }).click();
    const dialog = page.getByRole("dialog", { name: "Import a session" });
    stage.allow(/400|422/);
    await dialog.getByLabel(/Drop an \.ndjson file/).setInputFiles(join(stage.home.workspace, "greet.js"));
    await dialog.getByRole("alert").or(dialog.getByText(/not/i)).first().waitFor();
    await dialog.getByLabel(/Drop an \.ndjson file/).setInputFiles(file);
    await page.waitForURL((url) => url.hash.startsWith("#/s/") && !url.hash.includes(every.id));
    await turnEnds(page, "Done");
    await transcript(page).getByText("The greeting is friendlier now.").waitFor();
  });

  it.runIf(isFullRun())("plays a session again as it happened", async () => {
    const page = await stage.visit(`/s/${every.id}/replay`);
    await page.getByRole("button", { name: "16×" }).click();
    await page.getByRole("button", { name: "Play again" }).waitFor();
    await transcript(page).getByText("The greeting is friendlier now.").waitFor();
    // From its beginning it plays on, slowly enough to be seen.
    await page.getByRole("button", { name: "1×", exact: true }).click();
    await page.getByLabel("Position").fill("0");
    await expect.poll(() => transcript(page).getByText("The greeting is friendlier now.").count()).toBe(0);
  });

  const routes = () => [
    "/",
    "/new",
    `/s/${every.id}`,
    `/s/${waiting.id}`,
    `/s/${asked.id}`,
    `/s/${every.id}/changes`,
    `/s/${every.id}/replay`,
    "/usage",
    "/connect",
    "/doctor",
    "/settings",
    "/nowhere",
  ];

  /** One of each kind of screen: the others are made of the same parts. */
  const lookedAt = () => (isFullRun() ? routes() : ["/", `/s/${every.id}`, `/s/${waiting.id}`]);

  /** In the dark only colours differ: in the quick form only they are looked at again, where most of them are. */
  const darkRules = isFullRun() ? [] : ["color-contrast", "link-in-text-block"];
  const isLookedAtInTheDark = (route: string): boolean => isFullRun() || route === `/s/${every.id}`;

  it("are accessible to all, light and dark", async () => {
    const found: string[] = [];
    const look = async (page: Page, route: string): Promise<void> => {
      found.push(...(await seriousFindings(page, `${route} in the light`, [])));
      if (!isLookedAtInTheDark(route)) return;
      await page.emulateMedia({ colorScheme: "dark" });
      await page.evaluate(coloursSettle);
      found.push(...(await seriousFindings(page, `${route} in the dark`, darkRules)));
      await page.emulateMedia({ colorScheme: "light" });
      await page.evaluate(coloursSettle);
    };
    const outside = await stage.newBrowser({ colorScheme: "light" });
    await outside.goto(stage.url);
    await outside.getByRole("heading", { name: "Sign in to Caret" }).waitFor();
    await look(outside, "sign-in");
    const page = await stage.visit("/", { colorScheme: "light" });
    for (const route of isFullRun() ? lookedAt() : [`/s/${every.id}`]) {
      await show(page, route);
      await look(page, route);
    }
    for (const key of isFullRun() ? ["Control+k", "?"] : []) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      await look(page, key);
      await page.keyboard.press("Escape");
    }
    expect(found).toEqual([]);
  }, 90_000);

  it("fit a phone: nothing scrolls sideways, and everything is large enough for a thumb", async () => {
    const page = await stage.visit("/", phone);
    const wrong: unknown[] = [];
    for (const route of lookedAt()) {
      await show(page, route);
      const [width, small] = await page.evaluate<readonly [number, readonly string[]]>(measure);
      if (width > 390 || small.length > 0) wrong.push([route, width, small]);
    }
    expect(wrong).toEqual([]);
    await show(page, `/s/${waiting.id}`);
    await approval(page)
      .getByRole("button", { name: /^Approve/ })
      .tap();
    await turnEnds(page, "Done");
    await page.getByRole("link", { name: "All sessions" }).tap();
    await page.getByRole("button", { name: "More" }).tap();
    await page.getByRole("dialog", { name: "More" }).getByRole("link", { name: "Usage" }).tap();
    await page.getByRole("heading", { name: "Usage" }).waitFor();
  }, 60_000);

  it.runIf(isFullRun())("move nothing for those who asked for it", async () => {
    const page = await stage.visit(`/s/${asked.id}`, { reducedMotion: "reduce" });
    await page.getByRole("form", { name: "Colour" }).waitFor();
    expect(await page.evaluate<readonly string[]>(longAnimations)).toEqual([]);
  });

  async function show(page: Page, route: string): Promise<void> {
    await page.goto(`${stage.url}/#${route}`);
    await page.getByRole("main").waitFor();
    await expect.poll(() => page.getByRole("status").filter({ visible: true }).count()).toBe(0);
    await page.evaluate("new Promise((done) => requestIdleCallback(done, { timeout: 1000 }))");
  }
});

async function seriousFindings(page: Page, where: string, rules: readonly string[]): Promise<readonly string[]> {
  // What passes is only counted: describing each element of it takes longer than looking at it.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  const { violations } = await (rules.length > 0 ? axe.withRules([...rules]) : axe).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${where}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

/** Colours change by transitions, which begin with the next frame. */
const coloursSettle = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => document.getAnimations().filter((animation) => animation instanceof CSSTransition))
  .then((transitions) => Promise.allSettled(transitions.map(({ finished }) => finished)))`;

/** The page's width, and the buttons and links of their own that are hard to hit. */
const measure = `[
  document.documentElement.scrollWidth,
  [...document.querySelectorAll("button, select, input:not([type=radio]):not([type=checkbox]):not([type=file])")]
    .filter((element) => element.checkVisibility() && element.getClientRects().length > 0 && !element.closest(".sr-only") && !element.matches(".sr-only"))
    .map((element) => [element.getAttribute("aria-label") ?? element.innerText, element.getBoundingClientRect().height])
    .filter(([, height]) => height > 0 && height < 36)
    .map(([name, height]) => name + " " + height),
]`;

/** What moves for longer than the millisecond that reduced motion leaves: too short to be seen, and the end is still reported. */
const longAnimations = `document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime > 1)
  .map((animation) => animation.animationName ?? animation.transitionProperty)`;
