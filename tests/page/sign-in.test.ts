import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BelowPath } from "./below-path.ts";
import { lacksChromium } from "./chromium.ts";
import { shownText } from "./page-parts.ts";
import { prompts } from "./page-scenario.ts";
import { PageStage } from "./page-stage.ts";

describe.skipIf(lacksChromium())("getting in", () => {
  let stage: PageStage;
  let proxy: BelowPath;
  let stranger: Server;
  beforeAll(async () => {
    proxy = await BelowPath.listen();
    stranger = createServer((_request, answer) =>
      answer.setHeader("content-type", "text/html").end("<!doctype html><title>Stranger</title>"),
    );
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    stage = await PageStage.open({ env: { CARET_SERVER_ORIGINS: JSON.stringify([proxy.origin]) } });
    proxy.lead(stage.url);
    await stage.endedSession(prompts.quick);
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(async () => {
    proxy.close();
    stranger.close();
    await stage.close();
  });

  const strangerUrl = () => `http://localhost:${(stranger.address() as AddressInfo).port}/`;

  it("goes by a link from the terminal, which works once and is in no history", async () => {
    const link = await stage.caret("link");
    const page = await stage.newBrowser();
    await page.goto(link);
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    expect([page.url(), await page.title()]).toEqual([`${stage.url}/#/`, "Caret"]);
    stage.allow(/401/);
    const second = await stage.newBrowser();
    await second.goto(link);
    await second.getByText("This sign-in link is no longer valid.").waitFor();
    await second.getByRole("heading", { name: "Sign in to Caret" }).waitFor();
  });

  it.runIf(isFullRun())("takes a pasted link, and says so when it is none", async () => {
    const page = await stage.newBrowser();
    await page.goto(stage.url);
    const field = page.getByLabel("Or paste the link here");
    await field.fill("https://example.com/");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This is no sign-in link").waitFor();
    await field.fill((await stage.api.createLink()).url);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
  });

  it.runIf(isFullRun())("ends with signing out, in every tab", async () => {
    const page = await stage.newBrowser();
    await page.goto((await stage.api.createLink()).url);
    await page.getByRole("button", { name: "More" }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(stage.url);
    await tab.getByRole("button", { name: "More" }).click();
    await tab.getByRole("menuitem", { name: "Sign out" }).click();
    for (const each of [tab, page]) await each.getByRole("heading", { name: "Sign in to Caret" }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it.runIf(isFullRun())(
    "shows the documentation of the API without asking for a password, until the browser signs out",
    async () => {
      const page = await stage.newBrowser();
      await page.goto((await stage.api.createLink()).url);
      await page.getByRole("navigation").getByRole("link", { name: "Connect" }).click();
      const [docs] = await Promise.all([
        page.context().waitForEvent("page"),
        page.getByRole("link", { name: "API documentation" }).click(),
      ]);
      await docs.getByText("POST /v1/messages").first().waitFor();
      expect(docs.url()).toBe(`${stage.url}/docs`);
      await docs.getByRole("link", { name: "openapi.json" }).click();
      await docs.getByText('"openapi":"3.1.0"').waitFor();
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in to Caret" }).waitFor();
      const refused = await page.context().request.get(`${stage.url}/docs`);
      expect(refused.status()).toBe(401);
    },
  );

  it("is over at once when the token is revoked, and nothing is left on the page", async () => {
    const page = await stage.newBrowser();
    await page.goto((await stage.api.createLink()).url);
    await page.getByRole("link", { name: prompts.quick }).first().waitFor();
    const name = await page.evaluate<string>(ownTokenName);
    stage.allow(/401/);
    await stage.caret("token", "revoke", name);
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Caret" }).waitFor();
    expect(await shownText(page.locator("body"))).not.toContain(prompts.quick);
  });

  it.each([
    "?next=javascript:alert(1)&code=abc#/",
    "?%22%3E%3Cscript%3Ealert(1)%3C/script%3E#/%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E",
    "#/s/..%2F..%2Fsign-out",
    "#/sign-in/",
  ])("means nothing to a stranger who opens %s", async (rest) => {
    const page = await stage.newBrowser();
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => dialogs.push(dialog.message()));
    await page.goto(`${stage.url}/${rest}`);
    await page.getByRole("heading", { name: "Sign in to Caret" }).waitFor();
    expect([dialogs, await shownText(page.locator("body"))]).toEqual([[], expect.not.stringContaining("alert")]);
  });

  it.runIf(isFullRun())("leaves a signed-in browser as it is when it opens a hostile address", async () => {
    const page = await stage.visit();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    stage.allow(/404|not found/i);
    await page.goto(`${stage.url}/?x=<script>alert(1)</script>#/s/..%2F..%2Fsign-out`);
    await page.getByText("There is no such session").waitFor();
    await page.goto(`${stage.url}/#/%3Cimg src=x onerror=alert(1)%3E`);
    await page.getByText("There is nothing here").waitFor();
    await page.goto(`${stage.url}/#/`);
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    stage.allow(/401/);
    await page.goto(`${stage.url}/#/sign-in/not-a-code-of-ours`);
    await page.getByText("This sign-in link is no longer valid.").waitFor();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
  });

  it("shows and does nothing for a page of another origin, not even in a frame", async () => {
    const page = await stage.visit();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    const before = (await stage.api.listSessions()).sessions.length;
    stage.allow(/./);
    const foreign = await page.context().newPage();
    await foreign.goto(strangerUrl());
    const seen = await foreign.evaluate<readonly string[]>(attack(stage.url));
    expect(seen).toEqual(["refused", "refused", "refused", "refused", "refused"]);
    const frames = foreign.frames().filter((frame) => frame.url().startsWith(stage.url));
    for (const frame of frames) expect(await shownText(frame.locator("body"))).not.toContain("Caret");
    expect((await stage.api.listSessions()).sessions.length).toBe(before);
  });

  it.runIf(isFullRun())("works below a path of a proxy: sign-in, live events, every asset", async () => {
    const code = (await stage.api.createLink()).url.split("#")[1];
    const page = await stage.newBrowser();
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(`${proxy.origin}/caret/`)) elsewhere.push(request.url());
    });
    await page.goto(`${proxy.origin}/caret/#${code}`);
    await page.getByRole("link", { name: "New session" }).first().click();
    await page.getByRole("textbox", { name: "Prompt" }).fill(prompts.quick);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByText("Hello there.").waitFor();
    await page.getByRole("region", { name: "End of turn" }).getByText("Done").waitFor();
    await page.reload();
    await page.getByText("Hello there.").waitFor();
    expect(elsewhere).toEqual([]);
  });
});

/** As whom the gateway knows the browser. */
const ownTokenName = `fetch("./api/about", { headers: { "x-caret-page": localStorage.getItem("caret.page-key /") } })
  .then((answer) => answer.json())
  .then(({ tokenName }) => tokenName)`;

/** What a page that means harm can try with a browser's cookies; each either fails or gives nothing. */
function attack(url: string): string {
  const json = `{ method: "POST", credentials: "include", body: "{}", headers: { "content-type": "application/json" } }`;
  return `(async () => {
    const refused = (answer) => (answer.status === 0 || answer.status >= 400 ? "refused" : "answered " + answer.status);
    const ask = (path, init) => fetch(${JSON.stringify(url)} + path, init).then(refused, () => "refused");
    const socket = (path) => new Promise((done) => {
      const opened = new WebSocket(${JSON.stringify(url.replace("http", "ws"))} + path);
      opened.onopen = () => done("open");
      opened.onerror = () => done("refused");
    });
    const frame = () => new Promise((done) => {
      const made = document.createElement("iframe");
      made.onload = () => done(made.contentWindow.length === 0 && made.contentDocument === null ? "refused" : "shown");
      made.src = ${JSON.stringify(url)} + "/";
      document.body.append(made);
    });
    return [
      await ask("/api/sessions", { credentials: "include" }),
      await ask("/api/sessions", ${json}),
      await ask("/api/links", { method: "POST", mode: "no-cors", credentials: "include", body: "{}" }),
      await socket("/api/sessions/x/socket"),
      await frame(),
    ];
  })()`;
}
