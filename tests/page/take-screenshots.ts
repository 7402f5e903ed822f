import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { BrowserContextOptions, Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";
import { composer, openCard } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage, phone } from "./page-stage.ts";

/**
 * Every screen at both widths, light and dark, as PNG files:
 * `node tests/page/take-screenshots.ts <directory> [<name of a screen>…]`.
 * They are for eyes; what must not break is tested. What axe finds on each is printed.
 */
interface Shot {
  readonly name: string;
  readonly place: string;
  /** Until the screen has something to show, and whatever must be pressed before. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

const [directory, ...only] = process.argv.slice(2);
if (directory === undefined) throw new Error("Which directory shall the pictures be in?");
const stage = await PageStage.open({ browser: launchChromium });
try {
  mkdirSync(directory, { recursive: true });
  const all = await play(stage);
  const shots = only.length > 0 ? all.filter(({ name }) => only.includes(name)) : all;
  for (const [width, options] of Object.entries({ 1440: {}, 390: phone }))
    for (const colorScheme of ["light", "dark"] as const)
      await take(stage, shots, { ...options, colorScheme }, join(directory, `${width}-${colorScheme}`));
} finally {
  await stage.close();
}

/** Sessions of all kinds, and where they are seen. */
async function play(stage: PageStage): Promise<readonly Shot[]> {
  const every = await stage.endedSession(prompts.everyCard, { permission: "full" });
  const failed = await stage.endedSession(prompts.failure);
  await stage.endedSession(prompts.quick);
  const approval = await stage.session(prompts.approval);
  const edit = await stage.session(prompts.twoApprovals, { permission: "supervised" });
  const question = await stage.session(prompts.question);
  const empty = await stage.session();
  const waits = (page: Page) =>
    page
      .getByText(/Waiting for you ·/)
      .first()
      .waitFor();
  return [
    {
      name: "sessions",
      place: "/",
      prepare: async (page) => {
        await page.getByText("Waiting for you · 3").waitFor();
        await page
          .getByRole("button", { name: /^Approve/, disabled: false })
          .nth(1)
          .waitFor();
        await page.getByRole("form", { name: "Colour" }).waitFor();
      },
    },
    { name: "new", place: "/new", prepare: (page) => page.getByLabel("Model").waitFor() },
    { name: "transcript-end", place: `/s/${every.id}`, prepare: (page) => page.getByText("See the guide").waitFor() },
    {
      name: "transcript-top",
      place: `/s/${every.id}`,
      prepare: async (page) => {
        await page.getByText("See the guide").waitFor();
        await page.getByRole("region", { name: "Transcript" }).hover();
        for (let turns = 0; turns < 5; turns += 1) await page.mouse.wheel(0, -1000);
        await page.getByText("I will look at the greeting first").waitFor();
      },
    },
    { name: "failed", place: `/s/${failed.id}`, prepare: (page) => page.getByText("Try again").waitFor() },
    {
      name: "approval-command",
      place: `/s/${approval.id}`,
      // Its buttons sleep for a moment, so that nobody presses what has just appeared.
      prepare: (page) =>
        page
          .getByRole("button", { name: /^Approve/, disabled: false })
          .first()
          .waitFor(),
    },
    { name: "approval-edit", place: `/s/${edit.id}`, prepare: waits },
    { name: "question", place: `/s/${question.id}`, prepare: waits },
    {
      name: "empty",
      place: `/s/${empty.id}`,
      prepare: (page) => page.getByText("Nothing has been asked yet").waitFor(),
    },
    {
      name: "changes",
      place: `/s/${every.id}/changes`,
      prepare: (page) => page.getByText("greet.js").first().waitFor(),
    },
    { name: "replay", place: `/s/${every.id}/replay`, prepare: (page) => page.getByLabel("Position").waitFor() },
    { name: "usage", place: "/usage", prepare: (page) => page.getByRole("table").first().waitFor() },
    { name: "connect", place: "/connect", prepare: (page) => page.getByRole("heading", { name: "Recipes" }).waitFor() },
    {
      name: "doctor",
      place: "/doctor",
      prepare: (page) => page.getByRole("button", { name: "Check again" }).waitFor(),
    },
    {
      name: "palette",
      place: "/",
      prepare: async (page) => {
        await page.keyboard.press("Control+k");
        await page.getByRole("dialog").waitFor();
      },
    },
    {
      name: "shortcuts",
      place: "/",
      prepare: async (page) => {
        await page.keyboard.press("?");
        await page.getByRole("dialog").waitFor();
      },
    },
    { name: "nowhere", place: "/nowhere" },
    ...featureShots(every.id, approval.id),
  ];
}

/** What is only there once something was typed or pressed. */
function featureShots(every: string, running: string): readonly Shot[] {
  const typed = async (page: Page, text: string) => {
    await composer(page).fill(text);
    await page.getByRole("listbox").waitFor();
  };
  const pressed = async (page: Page, name: string | RegExp) => {
    await page.getByRole("button", { name }).filter({ visible: true }).first().click();
  };
  const more = async (page: Page, name: string) => {
    await page.getByRole("button", { name: "More", exact: true }).filter({ visible: true }).click();
    await page.getByRole("menuitem", { name }).or(page.getByRole("dialog").getByRole("button", { name })).click();
  };
  const session = `/s/${every}`;
  return [
    {
      name: "search",
      place: "/search",
      prepare: async (page) => {
        await page.getByRole("searchbox", { name: "Search what was said" }).fill("greeting");
        await page.getByRole("list", { name: "Places" }).waitFor();
      },
    },
    {
      name: "find",
      place: session,
      prepare: async (page) => {
        await page.getByText("See the guide").waitFor();
        await page.keyboard.press("Control+f");
        await page.getByRole("search").getByRole("searchbox").fill("greeting");
        await page.getByRole("search").getByText(/ of /).waitFor();
      },
    },
    { name: "commands", place: session, prepare: (page) => typed(page, "/") },
    { name: "mentions", place: session, prepare: (page) => typed(page, "Look at @gre") },
    {
      name: "edit-prompt",
      place: session,
      prepare: async (page) => {
        await page.getByRole("region", { name: "Transcript" }).hover();
        for (let turns = 0; turns < 5; turns += 1) await page.mouse.wheel(0, -1000);
        await pressed(page, "Edit this prompt");
      },
    },
    { name: "task", place: session, prepare: (page) => openCard(page, /^Task/) },
    { name: "session-menu", place: session, prepare: (page) => pressed(page, /^Actions for/) },
    { name: "export-menu", place: session, prepare: (page) => pressed(page, /^Export/) },
    {
      name: "queue",
      place: `/s/${running}`,
      prepare: async (page) => {
        if ((await page.getByRole("region", { name: "Queued prompts" }).count()) === 0) {
          await composer(page).fill("Then run the linter and tell me what it says about the new greeting");
          await pressed(page, "Queue");
        }
        await page.getByRole("region", { name: "Queued prompts" }).waitFor();
        await composer(page).fill("Something else");
      },
    },
    {
      name: "commit",
      place: `${session}/changes`,
      prepare: async (page) => {
        await pressed(page, "Commit…");
        await page.getByRole("dialog").waitFor();
      },
    },
    { name: "comment", place: `${session}/changes`, prepare: (page) => pressed(page, "Comment") },
    { name: "agents", place: "/agents", prepare: (page) => page.getByRole("heading", { name: "Agents" }).waitFor() },
    { name: "compare", place: "/compare", prepare: (page) => page.getByRole("heading", { name: "Compare" }).waitFor() },
    {
      name: "settings",
      place: "/settings",
      prepare: (page) => page.getByRole("textbox", { name: "model", exact: true }).waitFor(),
    },
    { name: "budgets", place: "/usage", prepare: (page) => pressed(page, "Set budgets") },
    {
      name: "phone",
      place: "/",
      prepare: async (page) => {
        await more(page, "Open on your phone");
        await page.getByRole("img", { name: "QR code of the link" }).waitFor();
      },
    },
    {
      name: "more",
      place: "/",
      prepare: (page) => page.getByRole("button", { name: "More", exact: true }).filter({ visible: true }).click(),
    },
    { name: "by-workspace", place: "/", prepare: (page) => pressed(page, "By workspace") },
  ];
}

async function findings(page: Page): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}

async function take(stage: PageStage, shots: readonly Shot[], options: BrowserContextOptions, prefix: string) {
  const outside = await stage.newBrowser(options);
  await outside.goto(stage.url);
  await outside.getByRole("heading", { name: "Sign in to Caret" }).waitFor();
  await outside.screenshot({ path: `${prefix}-sign-in.png` });
  const page = await stage.visit("/", options);
  page.setDefaultTimeout(10_000);
  for (const { name, place, prepare } of shots) {
    await page.goto(`${stage.url}/#${place}`);
    await page.reload();
    const isThere = async (): Promise<void> => {
      await page.getByRole("main").waitFor();
      await prepare?.(page);
    };
    await isThere().catch((error: Error) => process.stdout.write(`${prefix}-${name}: ${error.message}\n`));
    await page.evaluate("new Promise((done) => requestIdleCallback(done, { timeout: 1000 }))");
    await page.screenshot({ path: `${prefix}-${name}.png` });
    for (const finding of await findings(page)) process.stdout.write(`${prefix}-${name}: ${finding}\n`);
  }
  for (const complaint of await stage.leave()) process.stdout.write(`${prefix}: ${complaint}\n`);
}
