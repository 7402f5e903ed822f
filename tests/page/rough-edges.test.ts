import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { approval, composer, readyApproval, shownText, stateLine, transcript, turnEnds } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage, phone } from "./page-stage.ts";

describe.skipIf(lacksChromium())("the page, at its edges,", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open();
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  /** A request at the chat door, as a client sends it. */
  async function askByChat(body: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const response = await fetch(`${stage.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${stage.gateway.token}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "auto", ...body }),
    });
    expect(response.status).toBe(200);
    await response.text();
  }

  it.runIf(isFullRun())(
    "lists neither side calls nor tests of the doors among the sessions, and has a place for them",
    async () => {
      const page = await stage.visit("/connect");
      await page.getByText(/The simulator answers these tests/).waitFor();
      await page.getByRole("button", { name: "Test Messages" }).click();
      await page.getByText(/It answered/).waitFor();
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Sessions" }).click();
      await page.getByRole("heading", { name: "Sessions" }).waitFor();
      await page.getByText("No sessions yet").first().waitFor();
      await page.getByRole("button", { name: "Side calls" }).click();
      await page
        .getByRole("main")
        .getByRole("link", { name: /^Side call: This is a test of the connection/ })
        .waitFor();
    },
  );

  it("shows what failed recently with its reason above the list, until it is gone on with", async () => {
    const { id } = await stage.endedSession(prompts.failure);
    const page = await stage.visit("/");
    const failed = page.getByRole("region", { name: /^Failed recently/ });
    await failed.getByRole("link").waitFor();
    const [reason, ...rest] = (await shownText(failed.getByRole("link"))).split("\n");
    expect([reason, rest.join(" ")]).toEqual([
      expect.stringMatching(/limit/i),
      expect.stringContaining(prompts.failure),
    ]);
    await stage.api.startTurn(id, { prompt: prompts.quick });
    await failed.waitFor({ state: "detached" });
  });

  it("keeps what waits for a person in sight when a hundred sessions are newer, and the document as high as the window", async () => {
    const { id } = await stage.session(prompts.question);
    await expect.poll(async () => (await stage.api.getSession(id)).status.kind).toBe("waiting");
    const newer = Array.from({ length: 101 }, (_, index) => stage.api.createSession({ title: `Newer ${index}` }));
    const ids = (await Promise.all(newer)).map((session) => session.id);
    const page = await stage.visit("/");
    await page
      .getByRole("region", { name: "Waiting for you · 1" })
      .getByRole("link", { name: new RegExp(prompts.question) })
      .waitFor();
    const [high, scrolled] = await page.evaluate<readonly [number, number]>(
      "(scrollTo(0, 500), [document.documentElement.scrollHeight - innerHeight, scrollY])",
    );
    expect([high, scrolled]).toEqual([0, 0]);
    const { status } = await stage.api.getSession(id);
    if (status.kind === "waiting") await stage.api.cancelTurn(id, status.turnId);
    await stage.settled(id);
    await Promise.all([...ids, id].map((sessionId) => stage.api.deleteSession(sessionId)));
  });

  it("has one bar above a session on a phone, with the way back and most of the title", async () => {
    const { id } = await stage.endedSession(prompts.quick);
    const page = await stage.visit(`/s/${id}`, phone);
    await turnEnds(page, "Done");
    const title = await page.getByRole("heading", { level: 1 }).boundingBox();
    expect({ isFirst: (title?.y ?? 99) < 48, isWide: (title?.width ?? 0) > 140 }).toEqual({
      isFirst: true,
      isWide: true,
    });
    await page.getByRole("link", { name: "All sessions" }).tap();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
  });

  it.runIf(isFullRun())("shows the open session in the list beside it, however many are newer", async () => {
    const oldest = await stage.endedSession(prompts.quick);
    for (let newer = 0; newer < 20; newer += 1) await stage.api.createSession({ title: `Newer ${newer}` });
    const page = await stage.visit(`/s/${oldest.id}`, { viewport: { width: 1280, height: 480 } });
    await turnEnds(page, "Done");
    const row = page.getByRole("navigation", { name: "Main" }).locator('[aria-current="page"]');
    await expect.poll(async () => (await row.boundingBox())?.y ?? -1).toBeGreaterThan(0);
    await expect.poll(async () => (await row.boundingBox())?.y ?? 1_000).toBeLessThan(460);
  });

  it.runIf(isFullRun())("shows in a replay what an open question offers", async () => {
    const { id } = await stage.session(prompts.question);
    const page = await stage.visit(`/s/${id}`);
    await page.getByRole("form", { name: "Colour" }).waitFor();
    await page.goto(`${stage.url}/#/s/${id}/replay`);
    const card = page.getByRole("article", { name: "Colour" });
    await card.getByText("Blue").waitFor();
    expect(await card.getByRole("listitem").allInnerTexts()).toEqual(["Red", "Blue"]);
  });

  it("says of what is said to a running turn that it waits, and then that it was heard", async () => {
    const { id } = await stage.session(prompts.twoApprovals, { permission: "supervised" });
    const page = await stage.visit(`/s/${id}`);
    await approval(page).first().waitFor();
    await composer(page).fill("Mind the gap");
    await page.getByRole("button", { name: "Steer" }).click();
    const said = page.getByRole("region", { name: "Said while the agent worked" });
    await said.getByText(/Waiting: the agent hears it after its next step/).waitFor();
    await (await readyApproval(page)).click();
    await said.getByText("Heard", { exact: false }).waitFor();
    await (await readyApproval(page)).click();
    await turnEnds(page, "Done");
    expect(await said.count()).toBe(1);
  });

  it.runIf(isFullRun())("names no directory of Caret's own as the workspace of a client's session", async () => {
    const tool = { type: "function", function: { name: "look", parameters: { type: "object" } } };
    await askByChat({ messages: [{ role: "user", content: prompts.quick }], tools: [tool] });
    const page = await stage.visit("/");
    await page.getByRole("main").getByRole("link", { name: prompts.quick }).first().click();
    await transcript(page).getByText("Hello there.").waitFor();
    await stateLine(page).getByText("no workspace").waitFor();
  });

  it.runIf(isFullRun())(
    "says how long it has been cut off and how often it tries, and is back soon after the gateway",
    async () => {
      const page = await stage.visit("/");
      await page.getByRole("heading", { name: "Sessions" }).waitFor();
      stage.allow(/ERR_|Failed to load|failed:/);
      const startAgain = await stage.killGateway();
      await page.getByText(/Disconnected for \d+ s; trying every 2 s/).waitFor();
      // By now the longest pause between two tries is reached.
      await expect
        .poll(() => shownText(page.getByText(/Disconnected for/)), { timeout: 12_000 })
        .toMatch(/for (?:[6-9]|1\d) s/);
      await startAgain();
      const backAt = performance.now();
      await page.getByText(/Disconnected for/).waitFor({ state: "detached" });
      expect(performance.now() - backAt).toBeLessThan(5_000);
    },
    60_000,
  );
});
