import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { openCard, shownText, stateLine, transcript, turnEnds } from "./page-parts.ts";
import { PageStage, phone } from "./page-stage.ts";

const prompts = { work: "Do the work", hello: "Say hello", delegate: "Ask a subagent" } as const;

const greeting = "export function greet() {\n  return 'Hello';\n}\n";

const todos = (first: string) => ({
  name: "updateTodos",
  args: {
    todos: [
      { id: "1", content: "Read the greeting", status: first },
      { id: "2", content: "Change `greet.js`", status: first === "completed" ? "in_progress" : "pending" },
    ],
  },
});

const scenario: ScenarioInput = {
  turns: [
    {
      when: prompts.work,
      steps: [
        { tool: todos("in_progress") },
        { tool: { name: "read", args: { path: "greet.js" } } },
        { tool: { name: "read", args: { path: "docs/tone.md" } } },
        { tool: { name: "read", args: { path: "missing.js" } } },
        { tool: { name: "grep", args: { pattern: "greet", path: "." } } },
        { tool: todos("completed") },
        { tool: { name: "edit", args: { path: "greet.js", oldText: "Hello", newText: "Good day" } } },
        { text: "Half of it is done." },
      ],
    },
    {
      when: prompts.delegate,
      steps: [
        { tool: { name: "task", args: { description: "Look for greetings", prompt: "Find them" } } },
        { text: "It found them." },
      ],
    },
    {
      when: prompts.hello,
      steps: [{ text: "Hello." }, { usage: { inputTokens: 1_000, cacheReadTokens: 11_000, outputTokens: 400 } }],
    },
  ],
};

describe.skipIf(lacksChromium())("work on the page", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open({ scenario, env: { CARET_PAGE_EDITOR: "vscode" } });
  }, 180_000);
  // The agent changes it in each of its turns.
  beforeEach(() => writeFileSync(join(stage.home.workspace, "greet.js"), greeting));
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(() => stage.close());

  it("folds reads and searches into one row that opens to all of them, and says that one failed", async () => {
    const { id } = await stage.endedSession(prompts.work, { permission: "full" });
    const page = await stage.visit(`/s/${id}`);
    const row = transcript(page).getByRole("button", { name: /^Explored 3 files, 1 search 1 failed/ });
    await row.press("Enter");
    const inside = transcript(page).getByRole("list", { name: "Files and searches" });
    expect(await inside.getByRole("listitem").count()).toBe(4);
    await inside.getByRole("button", { name: /^Search greet/ }).waitFor();
    await row.press("Enter");
    await expect.poll(() => inside.count()).toBe(0);
  });

  it("numbers and colours the lines of what was read, and colours what was changed", async () => {
    const { id } = await stage.endedSession(prompts.work, { permission: "full" });
    const page = await stage.visit(`/s/${id}`);
    await transcript(page)
      .getByRole("button", { name: /^Explored/ })
      .click();
    const read = await openCard(page, /^Read greet\.js/);
    await read.locator("[data-token=keyword]").first().waitFor();
    expect((await shownText(read)).split("\n")).toEqual(expect.arrayContaining(["1", "2", "3"]));
    const edit = await openCard(page, /^Edit greet\.js/);
    await edit.locator("[data-token^=string]").first().waitFor();
    expect(await shownText(edit)).toContain("Good day");
  });

  it("opens files in the user's editor where the browser is on the gateway's machine, and nowhere else", async () => {
    const { id } = await stage.endedSession(prompts.work, { permission: "full" });
    const page = await stage.visit(`/s/${id}`);
    const edit = await openCard(page, /^Edit greet\.js/);
    const link = edit.getByRole("link", { name: "Open in VS Code" });
    expect(await link.getAttribute("href")).toMatch(/^vscode:\/\/file\/.*\/greet\.js(:\d+)?$/);
  });

  it("shows what a subagent did inside its task", async () => {
    const { id } = await stage.endedSession(prompts.delegate, { permission: "full" });
    const page = await stage.visit(`/s/${id}`);
    const task = await openCard(page, /^Task Look for greetings/);
    const steps = task.getByRole("list", { name: "Steps" });
    await steps.getByRole("button", { name: /^Search/ }).click();
    await steps.getByText("greet.js").waitFor();
    await task.getByText("The simulated subagent looked at").waitFor();
  });

  it("keeps the todos in sight while something is left to do, on a phone too", async () => {
    const { id } = await stage.endedSession(prompts.work, { permission: "full" });
    const page = await stage.visit(`/s/${id}`, phone);
    const list = page.getByRole("region", { name: "Todos" });
    const line = list.getByRole("button", { name: /1 of 2 done.*Change greet\.js/ });
    await line.tap();
    await list.getByText("Read the greeting").waitFor();
    await line.tap();
    await expect.poll(() => list.getByText("Read the greeting").isVisible()).toBe(false);
  });

  it("says how full the context is where that is known, and nothing where it is not", async () => {
    const known = await stage.endedSession(prompts.hello, { permission: "full" });
    const page = await stage.visit(`/s/${known.id}`);
    await stateLine(page).getByText("12.4k in context").waitFor();
    const unknown = await stage.endedSession(prompts.work, { permission: "full" });
    await page.goto(`${stage.url}/#/s/${unknown.id}`);
    await turnEnds(page, "Done");
    expect(
      await stateLine(page)
        .getByText(/context/)
        .count(),
    ).toBe(0);
  });
});
