import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { SessionView } from "@caret/protocol";
import type { Page, Worker } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { turnEnds } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage, phone } from "./page-stage.ts";

describe.skipIf(lacksChromium())("the page from anywhere", () => {
  let stage: PageStage;
  let receiver: Server;
  let received: unknown[];
  let status: number;
  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      received.push(JSON.parse(await text(request)));
      response.writeHead(status).end();
    });
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    const { port } = receiver.address() as AddressInfo;
    stage = await PageStage.open({ env: { CARET_NOTIFY_WEBHOOK_URL: `http://127.0.0.1:${port}/hook` } });
  }, 180_000);
  beforeEach(() => {
    received = [];
    status = 204;
  });
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(async () => {
    await stage.close();
    receiver.close();
  });

  /** A session with a question that waits, and a page with its service worker. */
  async function asked(): Promise<readonly [session: SessionView, page: Page, worker: Worker, requestId: string]> {
    const session = await stage.session(prompts.question);
    const page = await stage.visit("/", { serviceWorkers: "allow" });
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    const [worker] = page.context().serviceWorkers();
    if (worker === undefined) throw new Error("There is no service worker");
    await expect.poll(async () => (await stage.api.getSession(session.id)).status.kind).toBe("waiting");
    const { status: waiting } = await stage.api.getSession(session.id);
    const requestId = waiting.kind === "waiting" ? waiting.question?.requestId : undefined;
    return [session, page, worker, requestId ?? ""];
  }

  const answersOf = async (id: string): Promise<readonly unknown[]> => {
    const { events } = await stage.api.readLog(id);
    return events.flatMap(({ event }) => (event.type === "question-answer" ? (event.answers ?? []) : []));
  };

  it("answers a question by a button of its notification", async () => {
    const [{ id }, , worker, requestId] = await asked();
    const data = { sessionId: id, kind: "question", requestId, question: requestId };
    await worker.evaluate(`answerNotification('["q","b"]', ${JSON.stringify(data)})`);
    await stage.settled(id);
    expect(await answersOf(id)).toEqual([{ questionId: "q", optionIds: ["b"] }]);
  });

  it("opens the session at the question, with the focus in it, where the notification itself is pressed", async () => {
    const [{ id }, page, worker, requestId] = await asked();
    const data = { sessionId: id, question: requestId };
    // Only a real press may bring a window to the front; what the page is sent does not need it.
    await worker.evaluate(`answerNotification("", ${JSON.stringify(data)}).catch(() => undefined)`);
    await page.waitForURL((url) => url.hash === `#/s/${id}`);
    const first = page.getByRole("form", { name: "Colour" }).getByRole("radio", { name: "Red" });
    await expect.poll(() => first.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await turnEnds(page, "Done");
    expect(await answersOf(id)).toEqual([{ questionId: "q", optionIds: ["b"] }]);
  });

  it("opens at the question by its address alone, when no page was open", async () => {
    const { id } = await stage.session(prompts.question);
    await expect.poll(async () => (await stage.api.getSession(id)).status.kind).toBe("waiting");
    const { status: waiting } = await stage.api.getSession(id);
    const requestId = waiting.kind === "waiting" ? waiting.question?.requestId : "";
    const page = await stage.visit("/", phone);
    await page.goto(`${stage.url}/?question=${requestId}#/s/${id}`);
    const first = page.getByRole("form", { name: "Colour" }).getByRole("radio", { name: "Red" });
    await expect.poll(() => first.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(new URL(page.url()).search).toBe("");
    await stage.api.answerQuestion(id, requestId ?? "", {});
    await stage.settled(id);
  });

  it("answers a question from the list, in one's own words", async () => {
    const { id } = await stage.session(prompts.question);
    const page = await stage.visit("/", phone);
    const form = page.getByRole("form", { name: "Colour" });
    await form.getByRole("textbox", { name: /^In your own words/ }).fill("A dark green");
    await form.getByRole("button", { name: "Answer" }).tap();
    await form.waitFor({ state: "hidden" });
    await stage.settled(id);
    expect(await answersOf(id)).toEqual([{ questionId: "q", optionIds: [], text: "A dark green" }]);
  });

  it("can be installed: its manifest is valid, and every icon is what it says", async () => {
    const page = await stage.visit("/", { serviceWorkers: "allow" });
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    const devtools = await page.context().newCDPSession(page);
    const { url, errors, data = "{}" } = await devtools.send("Page.getAppManifest");
    const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
    const manifest = JSON.parse(data) as Record<string, unknown> & { icons: readonly Record<string, string>[] };
    const icons = await Promise.all(
      manifest.icons.map(async ({ src = "", type, sizes, purpose }) => {
        const icon = await fetch(new URL(src, url));
        return [icon.status, icon.headers.get("content-type") === type, sizes, purpose];
      }),
    );
    expect({ errors, installabilityErrors, icons }).toEqual({
      errors: [],
      installabilityErrors: [],
      icons: [
        [200, true, "any", "any"],
        [200, true, "192x192", "any"],
        [200, true, "512x512", "any"],
        [200, true, "512x512", "maskable"],
      ],
    });
    expect(manifest).toMatchObject({ name: "Caret", start_url: "./", scope: "./", display: "standalone" });
  });

  it("sends a test to the webhook, and says why it did not arrive", async () => {
    const page = await stage.visit("/settings");
    const button = page.getByRole("button", { name: "Send a test to the webhook" });
    await button.click();
    await page.getByText("The webhook took the test").waitFor();
    expect(received).toEqual([
      { event: "test", title: "Test of Caret's webhook", since: expect.any(String), link: `${stage.url}/` },
    ]);
    status = 401;
    stage.allow(/502|500/);
    await button.click();
    await page.getByRole("alert").getByText("The webhook was answered with status 401").waitFor();
    // The command says the same, of what was sent last.
    status = 204;
    const { port } = receiver.address() as AddressInfo;
    await stage.api.changeSettings({ changes: { "notify.webhook.url": `http://127.0.0.1:${port}/hook` } });
    const findings = await stage.caret("doctor", "--webhook", "--json");
    expect(
      (JSON.parse(findings) as { check: string; state: string }[]).find(({ check }) => check === "webhook"),
    ).toMatchObject({
      state: "ok",
    });
  });
});
