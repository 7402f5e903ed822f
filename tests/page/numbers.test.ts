import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { shownText, stateLine, turnEnds } from "./page-parts.ts";
import { PageStage } from "./page-stage.ts";

const prompt = "Count what this takes";
/** Of `auto` at its list price: 12,000 × 1.25 + 90,000 × 0.25 + 800 × 6, a millionth each. */
const words = "102k in (88% cached) · 800 out · $0.0423";

const scenario: ScenarioInput = {
  turns: [
    {
      when: prompt,
      steps: [{ text: "Counted." }, { usage: { inputTokens: 12_000, outputTokens: 800, cacheReadTokens: 90_000 } }],
    },
  ],
};

describe.skipIf(lacksChromium())("tokens and cost", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open({ scenario });
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("are the same on the session, in the terminal, in an export and on the usage screen", async () => {
    const { id } = await stage.endedSession(prompt, { permission: "full" });
    const page = await stage.visit(`/s/${id}`);
    await turnEnds(page, "Done");
    const end = page.getByRole("region", { name: "End of turn" });
    await expect.poll(() => shownText(end)).toContain(words);
    expect(await shownText(stateLine(page))).toContain(words);
    expect(await stage.caret("sessions", "show", id)).toContain(words);
    expect(await (await stage.api.exportSession(id, "markdown")).content.text()).toContain(words);

    await page.goto(`${stage.url}/#/usage`);
    const main = page.getByRole("main");
    await main.getByText("Counts are made up and nothing was paid").waitFor();
    const sums = await main.getByRole("definition").allInnerTexts();
    expect(sums).toEqual([
      "$0.0423",
      "at Cursor's list prices",
      "102k",
      "88% from the cache",
      "800",
      "tokens, thinking included",
      "1",
      "all with counts",
    ]);
  });

  it.runIf(isFullRun())(
    "of a long session are those of all its turns, although only the last ones are loaded",
    async () => {
      const { id } = await stage.endedSession(prompt, { permission: "full" });
      const { content } = await stage.api.exportSession(id, "ndjson");
      const session = await stage.api.importSession(manyTurns(await content.text(), 200));
      const page = await stage.visit(`/s/${session.id}`);
      await expect.poll(() => shownText(stateLine(page))).toContain("20.4M in (88% cached) · 160k out · $8.46");
    },
  );

  it.runIf(isFullRun())("of deleted sessions have a line of their own instead of ids", async () => {
    const { id } = await stage.endedSession(prompt, { permission: "full" });
    await stage.api.deleteSession(id);
    const page = await stage.visit("/usage");
    await page.getByRole("button", { name: "By session" }).click();
    const names = await page.getByRole("rowheader").allInnerTexts();
    expect(names.toSorted()).toEqual([prompt, prompt, "Deleted sessions and side calls"].toSorted());
  });
});

/** The exported session with its one turn so many times over. */
function manyTurns(ndjson: string, count: number): string {
  const lines = ndjson.trimEnd().split("\n");
  const [head = "", ...events] = lines.slice(0, -1);
  const { turnId } = JSON.parse(events[0] ?? "") as { readonly turnId: string };
  const copies = Array.from({ length: count }, (_, copy) => events.map((line) => line.replaceAll(turnId, `t${copy}`)));
  const numbered = copies.flat().map((line, index) => JSON.stringify({ ...JSON.parse(line), seq: index + 1 }));
  return `${[head, ...numbered, JSON.stringify({ end: true, events: numbered.length })].join("\n")}\n`;
}
