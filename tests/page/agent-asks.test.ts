import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ScenarioInput, simulatorCommand } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { lacksChromium } from "./chromium.ts";
import { approval, readyApproval, transcript, turnEnds } from "./page-parts.ts";
import { PageStage } from "./page-stage.ts";

const plan = "1. Write `planned.txt`";
const scenario: ScenarioInput = {
  turns: [
    { when: "^Make", steps: [{ tool: { name: "shell", args: { command: "touch made.txt" } } }, { text: "Made." }] },
    {
      when: "^Ask",
      steps: [
        { question: { title: "Colour", prompt: "Which colour?", options: ["Red", "Blue"] } },
        { text: "Thanks." },
      ],
    },
    { when: "accepted the plan", steps: [{ tool: { name: "write", args: { path: "planned.txt", contents: "P" } } }] },
    { when: "^Plan", steps: [{ tool: { name: "createPlan", args: { name: "A plan", plan } } }] },
  ],
};

describe.skipIf(lacksChromium())("what Cursor's own agent asks, on the page", () => {
  let stage: PageStage;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "caret-agent-"));
    const { file, args } = simulatorCommand();
    const agent = join(directory, "agent");
    writeFileSync(agent, `#!/bin/sh\nexec '${file}' '${args.join("' '")}' "$@"\n`, { mode: 0o755 });
    stage = await PageStage.open({ scenario, lane: "acp", env: { CARET_CLI_COMMAND: agent } });
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(async () => {
    await stage.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const isThere = (name: string): boolean => existsSync(join(stage.home.workspace, name));

  it("is its command, which runs when it is approved, and may be allowed for the session", async () => {
    const { id } = await stage.session("Make it", { permission: "auto-edits" });
    const page = await stage.visit(`/s/${id}`);
    await approval(page).getByText("touch made.txt").first().waitFor();
    expect(isThere("made.txt")).toBe(false);
    await (await readyApproval(page)).click();
    await turnEnds(page, "Done");
    const { events } = await stage.api.readLog(id, { limit: 1_000 });
    const [call] = events.flatMap(({ event }) => (event.type === "tool-call" ? [event.owner] : []));
    const [asked] = events.flatMap(({ event }) => (event.type === "approval-request" ? [event.grants?.length] : []));
    expect([isThere("made.txt"), call, (asked ?? 0) > 0]).toEqual([true, "agent", true]);
  });

  it("is its question, which is answered in place", async () => {
    const { id } = await stage.session("Ask me", { permission: "auto-edits" });
    const page = await stage.visit(`/s/${id}`);
    const question = page.getByRole("form", { name: "Colour" });
    await question.getByRole("radio", { name: "Blue" }).check();
    await question.getByRole("button", { name: "Answer" }).click();
    await turnEnds(page, "Done");
    const { events } = await stage.api.readLog(id, { limit: 1_000 });
    const [heard] = events.flatMap(({ event }) => (event.type === "tool-result" ? [event.output] : []));
    expect(heard).toContain("Blue");
  });

  it("is its plan, which it carries out when it is accepted", async () => {
    const { id } = await stage.session("Plan it", { permission: "auto-edits" });
    const page = await stage.visit(`/s/${id}`);
    await transcript(page).getByText("planned.txt").first().waitFor();
    expect(isThere("planned.txt")).toBe(false);
    await (await readyApproval(page)).click();
    await turnEnds(page, "Done");
    expect(isThere("planned.txt")).toBe(true);
  });
});
