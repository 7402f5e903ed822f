import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage } from "./page-stage.ts";

describe.skipIf(lacksChromium())("what waits for a person who is not looking", () => {
  let stage: PageStage;
  let receiver: Server;
  const received: { readonly body: string; readonly signature: unknown }[] = [];
  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      received.push({ body: await text(request), signature: request.headers["x-caret-signature"] });
      response.writeHead(204).end();
    });
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    const { port } = receiver.address() as AddressInfo;
    stage = await PageStage.open({
      env: {
        CARET_NOTIFY_WEBHOOK_URL: `http://127.0.0.1:${port}/hook`,
        CARET_NOTIFY_WEBHOOK_SECRET: "a secret of the two",
      },
    });
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(async () => {
    await stage.close();
    receiver.close();
  });

  it("is posted to the webhook, signed, without what it is about", async () => {
    const { id } = await stage.session(prompts.approval);
    await expect.poll(() => received.length).toBe(1);
    const { title } = await stage.api.getSession(id);
    expect({ ...JSON.parse(received[0]?.body ?? ""), since: "" }).toEqual({
      event: "waiting",
      sessionId: id,
      title,
      kind: "approval",
      since: "",
      link: `${stage.url}/#/s/${id}`,
    });
    expect(received[0]?.signature).toMatch(/^sha256=[0-9a-f]{64}$/);
  });

  it("is decided by a button of its notification, through the page and not by the service worker", async () => {
    const { id } = await stage.session(prompts.approval);
    const page = await stage.visit("/", { serviceWorkers: "allow" });
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    const [worker] = page.context().serviceWorkers();
    await expect.poll(async () => (await stage.api.getSession(id)).status.kind).toBe("waiting");
    const { status } = await stage.api.getSession(id);
    const requestId = status.kind === "waiting" ? status.approval?.requestId : undefined;
    await worker?.evaluate(
      `answerNotification("rejected", ${JSON.stringify({ sessionId: id, kind: "approval", requestId })})`,
    );
    await expect.poll(async () => (await stage.api.getSession(id)).status.kind).toBe("ended");
    const { events } = await stage.api.readLog(id);
    expect(events.flatMap(({ event }) => (event.type === "approval-answer" ? [event.decision] : []))).toEqual([
      "rejected",
    ]);
  });
});
