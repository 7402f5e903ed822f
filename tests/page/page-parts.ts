import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** The parts of the page that tests speak of, by the names that people who listen to it hear. */
export const composer = (page: Page): Locator => page.getByRole("textbox", { name: "Prompt" });
export const transcript = (page: Page): Locator => page.getByRole("region", { name: "Transcript" });
export const stateLine = (page: Page): Locator => page.getByRole("region", { name: "State of the session" });
export const approval = (page: Page): Locator => page.getByRole("article", { name: /^Approval:/ });

/** The approval that waits, once it takes decisions: a card that has just appeared takes none. */
export async function readyApproval(page: Page): Promise<Locator> {
  const approve = approval(page).getByRole("button", { name: /^Approve/ });
  await expect.poll(() => approve.isEnabled()).toBe(true);
  return approve;
}

/** What a reader sees of it, not what its elements hold. */
export async function shownText(element: Locator): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count
  return await element.innerText();
}

/** The end of the turn that ended last, once it shows this. */
export async function turnEnds(page: Page, words: "Done" | "Stopped" | "Failed"): Promise<void> {
  await page.getByRole("region", { name: "End of turn" }).getByText(words, { exact: true }).last().waitFor();
}

/** A card of the transcript by how its line begins, `Run`, `Edit` …, and opens it where it is closed. */
export async function openCard(page: Page, line: RegExp): Promise<Locator> {
  const card = transcript(page)
    .getByRole("article")
    .filter({ has: page.getByRole("button", { name: line }) });
  const button = card.getByRole("button", { name: line }).first();
  if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
  return card.first();
}

/** Pastes a picture of one pixel, as a browser does with what was copied elsewhere. */
export async function pasteImage(field: Locator): Promise<void> {
  const base64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await field.evaluate((element, text) => {
    const { atob, DataTransfer, File, ClipboardEvent } = globalThis as unknown as BrowserParts;
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], "dot.png", { type: "image/png" }));
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    (element as { dispatchEvent(event: unknown): void }).dispatchEvent(event);
  }, base64);
}

/** What of a browser's globals that needs; the tests themselves run in Node, which lacks them. */
interface BrowserParts {
  readonly atob: (text: string) => string;
  readonly DataTransfer: new () => { readonly items: { add(file: unknown): void } };
  readonly File: new (parts: readonly Uint8Array[], name: string, options: object) => unknown;
  readonly ClipboardEvent: new (type: string, options: object) => unknown;
}
