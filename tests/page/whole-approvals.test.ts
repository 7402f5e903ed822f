import { type AgentEventOf, approvalView } from "@caret/protocol";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { EACH_PIECE, hostileCommands } from "../approvals/hostile-commands.ts";
import { lacksChromium } from "./chromium.ts";
import { approval, transcript } from "./page-parts.ts";
import { PageStage, phone } from "./page-stage.ts";

const count = barSize({ quick: EACH_PIECE, full: 500 });
const calls = hostileCommands(count).map(({ command }) => ({ command }));
const offered = (args: object) => ({ server: "caret", name: "exec", args: { ...args } });

/** What the page must show of each, in any order: cards of one turn appear as they are asked. */
const wanted = calls
  .map((input) => {
    const request: AgentEventOf<"approval-request"> = {
      type: "approval-request",
      requestId: "r",
      subject: "exec",
      input,
    };
    const text = approvalView(request).parts.find(({ kind }) => kind === "command")?.text ?? "";
    return asShown(`$ ${text}`);
  })
  .toSorted();

describe.skipIf(lacksChromium())("every hostile command", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open({
      scenario: { turns: [{ when: "all at once", steps: [{ tools: calls.map(offered) }, { text: "Done." }] }] },
    });
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("is shown whole by the page, on a desk and on a phone, as the view has it", {
    timeout: 240_000,
  }, async () => {
    const { id } = await stage.session("all at once");
    const isAsked = async (): Promise<number> => {
      const { events } = await stage.api.readLog(id, { limit: 5_000 });
      return events.filter(({ event }) => event.type === "approval-request").length;
    };
    await expect.poll(isAsked, { timeout: 120_000 }).toBe(calls.length);
    const desk = await stage.visit(`/s/${id}`);
    expect(await shownBy(desk)).toEqual(wanted);
    if (isFullRun()) expect(await shownBy(await stage.visit(`/s/${id}`, phone))).toEqual(wanted);
    const { status } = await stage.api.getSession(id);
    if (status.kind === "waiting") await stage.api.cancelTurn(id, status.turnId);
    await expect.poll(async () => (await stage.api.getSession(id)).status.kind).toBe("ended");
  });
});

/** All commands of the transcript as a reader sees them: it draws only the cards that are near, so it is scrolled through. */
async function shownBy(page: Page): Promise<readonly string[]> {
  const found = new Set<string>();
  const commands = approval(page).getByRole("group", { name: "Command" });
  await commands.first().waitFor();
  await expect
    .poll(
      async () => {
        for (const text of await commands.evaluateAll(shownTexts)) found.add(asShown(text));
        await transcript(page).evaluate((list) => {
          const all = [list as unknown as Scrolled, ...(list as unknown as Scrolled).querySelectorAll("*")];
          const scroller = all.find((each) => each.scrollHeight > each.clientHeight + 200 && each.clientHeight > 300);
          if (scroller === undefined) return;
          const isAtTop = scroller.scrollTop === 0;
          scroller.scrollTop = isAtTop
            ? scroller.scrollHeight
            : Math.max(0, scroller.scrollTop - scroller.clientHeight * 0.8);
        });
        return wanted.filter((text) => !found.has(text));
      },
      { interval: 30, timeout: 120_000 },
    )
    .toEqual([]);
  // A box that is being laid out has no mark in front yet, or no text.
  return [...found].filter((text) => !wanted.some((whole) => whole === `$ ${text}` || text === "")).toSorted();
}

/** Runs in the browser. What was not measured yet is hidden. */
function shownTexts(boxes: readonly unknown[]): string[] {
  const drawn = (boxes as readonly Drawn[]).filter((box) => box.checkVisibility({ visibilityProperty: true }));
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count
  return drawn.map((box) => box.innerText);
}

interface Drawn {
  readonly innerText: string;
  checkVisibility(how: { readonly visibilityProperty: boolean }): boolean;
}

/** What of a browser's elements the scrolling needs. */
interface Scrolled {
  readonly scrollHeight: number;
  readonly clientHeight: number;
  scrollTop: number;
  querySelectorAll(selector: string): Iterable<Scrolled>;
}

/** An element's last line end is not part of what it shows. */
function asShown(text: string): string {
  return text.replace(/\n+$/, "");
}
