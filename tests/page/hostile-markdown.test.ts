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

  /** For how long the page's thread computed without a pause, at the longest, while it showed each of these sessions. */
  async function longestTasks(prompts: readonly string[]): Promise<readonly number[]> {
    const sessions = await Promise.all(prompts.map((prompt) => stage.endedSession(prompt)));
    const page = await stage.visit("/");
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    // As text: the types at hand are Node's, whose observer knows no long tasks.
    await page.evaluate(`
      globalThis.seen = { longest: 0 };
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
      }).observe({ type: "longtask" });
    `);
    const longest: number[] = [];
    for (const { id } of sessions) {
      await page.evaluate("seen.longest = 0");
      await page.goto(`${stage.url}/#/s/${id}`);
      await transcript(page).getByText("The answer.").or(transcript(page).getByText(plain)).first().waitFor();
      await page.goto(`${stage.url}/#/`);
      await page.getByRole("heading", { name: "Sessions" }).waitFor();
      longest.push(await page.evaluate(() => (globalThis as unknown as { seen: { longest: number } }).seen.longest));
    }
    return longest;
  }

  it("does not stop the page, whatever is in it", async () => {
    const names = Object.keys(pieces);
    const [least = 0, ...longest] = await longestTasks(["plain", ...names]);
    // A busy machine takes its time with anything.
    const tooLong = names.filter((_, index) => (longest[index] ?? Infinity) >= MOST_MS + 10 * least);
    expect(tooLong).toEqual([]);
  });
});
