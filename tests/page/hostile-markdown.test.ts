import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { transcript } from "./page-parts.ts";
import { PageStage } from "./page-stage.ts";

const LENGTH = 100_000;
/** On a quiet machine it is some 50 ms; beside the other tests it was 217. Text that is read again and again takes seconds. */
const MOST_MS = 600;
const pieces: Readonly<Record<string, string>> = {
  "nested lists": "- ",
  "emphasis that does not end": "*a b* ",
  "marks of two kinds": "_a__b*c**",
  "what may be an address": "a-_.",
  "lists that hold comments": "+ \n  -->",
};
const plain = "No marks.";

describe.skipIf(lacksChromium())("An agent's Markdown", () => {
  let stage: PageStage;
  beforeAll(async () => {
    const turns = Object.entries(pieces).map(([name, piece]) => ({
      when: `^${name}`,
      steps: [{ text: `The answer.\n\n${piece.repeat(Math.ceil(LENGTH / piece.length))}` }],
    }));
    stage = await PageStage.open({ scenario: { turns: [...turns, { when: "plain", steps: [{ text: plain }] }] } });
  }, 180_000);
  afterAll(() => stage.close());

  /** How long the page's thread computed without a pause, at the longest, while it showed a session. */
  async function longestTask(prompt: string): Promise<number> {
    const { id } = await stage.endedSession(prompt);
    const page = await stage.visit("/");
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    // As text: the types at hand are Node's, whose observer knows no long tasks.
    await page.evaluate(`
      globalThis.seen = { longest: 0 };
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
      }).observe({ type: "longtask" });
    `);
    await page.goto(`${stage.url}/#/s/${id}`);
    await transcript(page).getByText("The answer.").or(transcript(page).getByText(plain)).first().waitFor();
    return await page.evaluate(() => (globalThis as unknown as { seen: { longest: number } }).seen.longest);
  }

  it.each(Object.keys(pieces))("does not stop the page: %s", async (name) => {
    // A busy machine takes its time with anything.
    const least = await longestTask("plain");
    const longest = await longestTask(name);
    expect(longest).toBeLessThan(MOST_MS + 10 * least);
  });
});
