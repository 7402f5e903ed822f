import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { AxeBuilder } from "@axe-core/playwright";
import type { ScenarioInput } from "@caret/simulator";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { caret } from "../clients/gateway-process.ts";
import { FleetHome, type WorkerProcess } from "../fleet/fleet-home.ts";
import { lacksChromium } from "./chromium.ts";
import { shownText } from "./page-parts.ts";
import { PageStage, phone } from "./page-stage.ts";

const tool = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });
const scenario: ScenarioInput = {
  turns: [
    { when: "all day", steps: [{ text: "I think." }, { delay: 600_000 }] },
    {
      when: "^Paint",
      steps: [tool("ask_human", { question: "Which colour?", wait_seconds: 60 }), { text: "Painted." }],
    },
    { when: "^Write", steps: [tool("write", { path: "made.txt", content: "made\n" }), { text: "Written." }] },
  ],
};

describe.skipIf(lacksChromium())("the fleet on the page", () => {
  let fleet: FleetHome;
  let laptop: WorkerProcess;
  let stage: PageStage;
  beforeAll(async () => {
    fleet = await FleetHome.open(scenario);
    laptop = await fleet.worker("laptop", { CARET_FLEET_MACHINE: "laptop" });
    const { CARET_STORE, CARET_FLEET_KEY, CARET_WORKSPACES_ALLOW } = fleet.environment("gateway");
    const env = { CARET_STORE, CARET_FLEET_KEY, CARET_WORKSPACES_ALLOW, CARET_FLEET_MACHINE: "rack" };
    stage = await PageStage.open({ env: env as Record<string, string> });
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(async () => {
    await stage.close();
    await fleet.remove();
  });

  it("has agents that work on a machine, and a comparison there, as a gateway by itself has", async () => {
    const { workspace } = fleet.home;
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: workspace, encoding: "utf8" });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "first");
    await stage.api.createAgent({ name: "ada", workspace });
    const page = await stage.visit("/agents");
    const agents = page.getByRole("list", { name: "Agents" });
    await agents.getByRole("button", { name: "Message ada" }).click();
    await agents.getByRole("textbox", { name: "Message to ada" }).fill("Paint the fence");
    await agents.getByRole("button", { name: "Send" }).click();
    await agents.getByText("Which colour?").waitFor();
    await page.goto(`${stage.url}/#/`);
    const inbox = page.getByRole("region", { name: /^Waiting for you/ });
    await inbox.getByRole("textbox", { name: "Answer to ada" }).fill("Blue");
    await inbox.getByRole("button", { name: "Answer" }).click();
    await inbox.getByText("Nothing needs you right now").waitFor();
    await expect.poll(async () => (await stage.api.getAgent("ada")).lastLine).toBe("Painted.");
    await page.goto(`${stage.url}/#/compare`);
    await page.getByRole("textbox", { name: "Prompt" }).fill("Write a file");
    const models = page.getByRole("group", { name: /^Models/ }).getByRole("checkbox");
    await models.nth(0).check();
    await models.nth(1).check();
    await page.getByLabel("Workspace").fill(workspace);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("table").getByRole("row").nth(2).waitFor();
    const [comparison] = await stage.api.listComparisons();
    expect(comparison?.candidates.map(({ files }) => files?.map(({ path }) => path))).toEqual([
      ["made.txt"],
      ["made.txt"],
    ]);
    await stage.api.dropComparison(comparison?.id ?? "");
    expect(git("worktree", "list").trim().split("\n").length).toBe(1);
  }, 120_000);

  it("shows machines and what waits for which, in both themes and on a phone, and follows without a reload", async () => {
    const { api } = stage;
    const { id } = await api.createSession({
      workspace: fleet.home.workspace,
      permission: "full",
      title: "A long day",
    });
    laptop.kill("SIGTERM");
    await laptop.exited;
    const desk = await fleet.worker("desk", { CARET_FLEET_MACHINE: "desk" });
    const started = api.startTurn(id, { prompt: "Take all day" });
    await expect.poll(async () => (await api.fleet()).queuedTurns).toBe(1);

    const page = await stage.visit("/", { colorScheme: "light" });
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("machines");
    await page.getByRole("option", { name: "Fleet" }).waitFor();
    await page.keyboard.press("Enter");
    const waiting = page.getByRole("list", { name: "Waiting turns" });
    await waiting.getByText(/^Waiting for laptop: its machine is away/).waitFor();
    expect(await waiting.getByRole("link", { name: "A long day" }).getAttribute("href")).toBe(`#/s/${id}`);
    expect(await shownText(waiting)).toContain(`caret sessions move ${id} --to MACHINE`);
    const machines = page.getByRole("list", { name: "Machines", exact: true });
    expect(await machines.getByRole("heading").allInnerTexts()).toEqual(["desk", "rack"]);
    expect(await shownText(page.getByRole("list", { name: "Members on desk" }))).toMatch(
      /^Worker\s+Ready\s+sim\s+0 of \d+ at work\s+last heartbeat \d+ s ago\s+version /,
    );
    expect(await findings(page)).toEqual([]);

    const small = await stage.visit("/fleet", { ...phone, colorScheme: "dark" });
    await small.getByText(/^Waiting for laptop: its machine is away/).waitFor();
    expect(await small.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    expect(await findings(small)).toEqual([]);

    const argv = [caret, "sessions", "move", id, "--to", "desk"];
    await promisify(execFile)(process.execPath, argv, { env: fleet.environment("command") });
    await started;
    await page.getByText("No turn waits for a worker.").waitFor();
    await page.getByText(/^1 of \d+ at work$/).waitFor();
    desk.kill("SIGTERM");
    await page.getByRole("list", { name: "Members on desk" }).getByText("Draining").waitFor();
    await page.getByText("0 turns run, 0 wait; no worker is ready").waitFor();
  }, 120_000);
});

describe.skipIf(lacksChromium())("a gateway by itself", () => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await PageStage.open();
  }, 180_000);
  afterAll(() => stage.close());

  it("has no fleet in its navigation, and says so at its address", async () => {
    stage.allow(/\/api\/fleet/);
    stage.allow(/404/);
    const page = await stage.visit("/fleet");
    await page.getByText("This gateway is by itself").waitFor();
    const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
    expect(await links.filter({ hasText: "Agents" }).count()).toBe(1);
    expect(await links.filter({ hasText: "Fleet" }).count()).toBe(0);
    expect(await stage.leave()).toEqual([]);
  });
});

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}
