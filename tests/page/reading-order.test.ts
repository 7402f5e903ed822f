import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { approval } from "./page-parts.ts";
import { PageStage } from "./page-stage.ts";

/** Letters of two alphabets that are read from right to left, and what stands between them takes part in their order. */
const command = "cp \u05d0\u05d1 1 \u05d2 -r 2; rm \u0627 | tee \u05d3";

describe.skipIf(lacksChromium())("a command with letters that are read from right to left", () => {
  let stage: PageStage;
  beforeAll(async () => {
    const args = { command };
    stage = await PageStage.open({
      scenario: { turns: [{ when: "copy", steps: [{ tools: [{ server: "caret", name: "exec", args }] }] }] },
    });
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("is drawn in the order in which the shell reads it", async () => {
    const { id } = await stage.session("copy");
    const page = await stage.visit(`/s/${id}`);
    const shown = approval(page).getByRole("group", { name: "Command" });
    await shown.waitFor();
    expect(await shown.evaluate(drawnText, command)).toBe(command);
    const { status } = await stage.api.getSession(id);
    if (status.kind === "waiting") await stage.api.cancelTurn(id, status.turnId);
    await expect.poll(async () => (await stage.api.getSession(id)).status.kind).toBe("ended");
  });
});

/** Runs in the browser: the letters of the text by where they stand, from the left. */
function drawnText(box: unknown, text: string): string {
  const { document, NodeFilter } = globalThis as unknown as Browser;
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  let node = walker.nextNode();
  while (node !== null && !node.data.includes(text)) node = walker.nextNode();
  if (node === null) return "";
  const found = node;
  const start = found.data.indexOf(text);
  const letters = [...text].map((letter, index) => {
    const range = document.createRange();
    range.setStart(found, start + index);
    range.setEnd(found, start + index + 1);
    return { letter, left: range.getBoundingClientRect().left };
  });
  return letters
    .toSorted((one, other) => one.left - other.left)
    .map(({ letter }) => letter)
    .join("");
}

/** What of a browser the function above uses. */
interface Browser {
  readonly NodeFilter: { readonly SHOW_TEXT: number };
  readonly document: {
    createTreeWalker(root: unknown, what: number): { nextNode(): { readonly data: string } | null };
    createRange(): {
      setStart(node: unknown, offset: number): void;
      setEnd(node: unknown, offset: number): void;
      getBoundingClientRect(): { readonly left: number };
    };
  };
}
