import { AxeBuilder } from "@axe-core/playwright";
import type { AgentEvent } from "@caret/protocol";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { shownText, transcript, turnEnds } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage, phone } from "./page-stage.ts";

const TURNS = 400;

describe.skipIf(lacksChromium())("finding what was said", () => {
  let stage: PageStage;
  let long: string;
  beforeAll(async () => {
    stage = await PageStage.open();
    long = (await stage.api.importSession(longSession())).id;
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("finds words of any session and opens the session where they were said, with the keyboard alone", async () => {
    await stage.session(undefined, { title: "Another one" });
    const page = await stage.visit("/search");
    await page.getByRole("searchbox", { name: "Search what was said" }).waitFor();
    await page.keyboard.type("walrus");
    const place = page.getByRole("list", { name: "Places" }).getByRole("link", { name: /walrus/ });
    await place.waitFor();
    expect(await place.locator("mark").allInnerTexts()).toEqual(["walrus"]);
    await expectNoViolations(page);
    await page.keyboard.press("Tab");
    await place.focus();
    await page.keyboard.press("Enter");
    await shown(page, "The walrus is in turn 3.");
    expect(await marked(page)).toContain("The walrus is in turn 3.");
  });

  it("finds what is not loaded in the open session, goes from place to place, and lets go with Escape", async () => {
    const page = await stage.visit(`/s/${long}`);
    await shown(page, `The answer of turn ${TURNS}.`);
    await page.keyboard.press("Control+f");
    const bar = page.getByRole("search", { name: "Find in this session" });
    await bar.getByRole("searchbox").fill("tapir");
    await bar.getByText("2 of 2").waitFor();
    await shown(page, "The tapir is in turn 200.");
    await page.keyboard.press("Enter");
    await bar.getByText("1 of 2").waitFor();
    await shown(page, "The tapir is in turn 5.");
    await bar.getByRole("searchbox").fill("nowhere");
    await bar.getByText("Not found").waitFor();
    await page.keyboard.press("Escape");
    await bar.waitFor({ state: "hidden" });
  });

  it("goes from prompt to prompt with Alt and the arrows", async () => {
    const page = await stage.visit(`/s/${long}/at/1`);
    await shown(page, "Prompt number 1.");
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(() => marked(page)).toContain("Prompt number 2.");
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(() => marked(page)).toContain("Prompt number 3.");
    await page.keyboard.press("Alt+ArrowUp");
    await expect.poll(() => marked(page)).toContain("Prompt number 2.");
  });

  it("offers what was said and the open session's own actions in the palette", async () => {
    const session = await stage.endedSession(prompts.quick, { permission: "full", title: "For the palette" });
    const page = await stage.visit(`/s/${session.id}`);
    await turnEnds(page, "Done");
    const choose = async (typed: string, name: string): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Go to" }).getByRole("combobox").fill(typed);
      await page.getByRole("option", { name }).waitFor();
      await page.getByRole("option", { name }).click();
    };
    await choose("rename this", "Rename this session");
    await page.getByRole("dialog").getByLabel("Title").fill("Renamed by the palette");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Renamed by the palette" }).waitFor();
    await choose("pin this", "Pin this session");
    await page.getByText("Pinned", { exact: true }).first().waitFor();
    await choose("fork", "Fork this session");
    await expect.poll(() => page.url()).not.toContain(session.id);
    await choose("archive", "Archive this session");
    await page.getByText("Archived", { exact: true }).first().waitFor();
    await choose("walrus", "The walrus is in turn 3.");
    await shown(page, "The walrus is in turn 3.");
  });

  it("groups sessions by workspace, keeps pinned ones on top and archives several at once, on a phone", async () => {
    for (const title of ["Bulk one", "Bulk two", "Bulk three"]) await stage.session(undefined, { title });
    const page = await stage.visit("/", phone);
    const main = page.getByRole("main");
    await main.getByRole("button", { name: "Actions for Bulk two" }).click();
    await page.getByRole("menuitem", { name: "Pin", exact: true }).click();
    await main.getByRole("region", { name: "Pinned" }).getByRole("link", { name: "Bulk two" }).waitFor();
    await main.getByRole("button", { name: "By workspace" }).click();
    await main.getByRole("region", { name: /…\// }).first().waitFor();
    await main.getByRole("button", { name: "Choose several" }).click();
    await main.getByRole("checkbox", { name: /Bulk one/ }).check();
    await main.getByRole("checkbox", { name: /Bulk three/ }).check();
    await expectNoViolations(page);
    await main.getByRole("button", { name: "Archive", exact: true }).click();
    await expect.poll(() => main.getByRole("link", { name: /Bulk/ }).allInnerTexts()).toEqual(["Bulk two"]);
    await page.reload();
    await main.getByRole("button", { name: "By workspace", pressed: true }).waitFor();
    await main.getByRole("region", { name: "Pinned" }).getByRole("link", { name: "Bulk two" }).waitFor();
  });
});

async function shown(page: Page, words: string): Promise<void> {
  await transcript(page).getByText(words, { exact: true }).waitFor();
  await expect.poll(() => isInSight(page, words)).toBe(true);
}

async function isInSight(page: Page, words: string): Promise<boolean> {
  const box = await transcript(page).getByText(words, { exact: true }).boundingBox();
  return box !== null && box.y >= 0 && box.y < (page.viewportSize()?.height ?? 0);
}

async function marked(page: Page): Promise<string> {
  const row = transcript(page).locator("[data-found]");
  return (await row.count()) === 1 ? await shownText(row) : "";
}

async function expectNoViolations(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ resultTypes: ["violations"] })
    .analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

/** An export of a session with many turns, of which few have a word of their own. */
function longSession(): string {
  const animals = new Map([
    [3, "walrus"],
    [5, "tapir"],
    [200, "tapir"],
  ]);
  const at = Date.UTC(2026, 10, 1);
  const entries = Array.from({ length: TURNS }, (_, index) => turnEvents(index + 1, animals.get(index + 1))).flat();
  const lines = entries.map((entry, index) => ({ seq: index + 1, at: at + index * 1000, ...entry }));
  const session = { workspace: "/nowhere", title: "Many animals", lane: "cli", createdAt: at };
  const file = [{ format: "caret-session", version: 1, session }, ...lines, { end: true, events: lines.length }];
  return file.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function turnEvents(turn: number, animal: string | undefined): readonly { turnId: string; event: AgentEvent }[] {
  const turnId = `turn-${turn}`;
  const text = animal === undefined ? `The answer of turn ${turn}.` : `The ${animal} is in turn ${turn}.`;
  const events: readonly AgentEvent[] = [
    { type: "turn-start", turnId, lane: "cli", prompt: `Prompt number ${turn}.` },
    { type: "text-start", blockId: "b" },
    { type: "text-delta", blockId: "b", text },
    { type: "text-end", blockId: "b" },
    { type: "turn-end", outcome: { kind: "completed" } },
  ];
  return events.map((event) => ({ turnId, event }));
}
