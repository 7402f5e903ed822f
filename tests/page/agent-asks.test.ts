import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { type ScenarioInput, simulatorCommand } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AcpClient, choosing } from "../clients/acp-client.ts";
import { lacksChromium } from "./chromium.ts";
import { approval, openCard, readyApproval, transcript, turnEnds } from "./page-parts.ts";
import { PageStage } from "./page-stage.ts";

const plan = "1. Write `planned.txt`";
const read = { toolCallId: "r1", title: "Read", kind: "read", rawInput: { _toolName: "read", path: "greet.js" } };
const task = (status: string) => ({
  sessionUpdate: "tool_call",
  toolCallId: "t1",
  title: "Look",
  kind: "other",
  rawInput: { _toolName: "task", description: "Look for greetings", prompt: "Look" },
  status,
});
const ofChild = (update: Record<string, unknown>) => ({
  acp: { notify: { method: "session/update", params: { sessionId: "child", update } } },
});
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
    {
      when: "^Delegate",
      steps: [
        { acp: { update: task("in_progress") } },
        { acp: { update: { sessionUpdate: "subagent_spawned", subagentSessionId: "child", name: "explorer" } } },
        ofChild({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "I look around." } }),
        ofChild({ sessionUpdate: "tool_call", ...read, status: "in_progress" }),
        { tool: { name: "shell", args: { command: "true" } } },
        ofChild({
          sessionUpdate: "tool_call_update",
          toolCallId: "r1",
          status: "completed",
          rawOutput: { content: "x" },
        }),
        { acp: { update: task("completed") } },
        { text: "It is found." },
      ],
    },
    { when: "^Plan", steps: [{ tool: { name: "createPlan", args: { name: "A plan", plan } } }] },
  ],
};

describe.skipIf(lacksChromium())("what Cursor's own agent asks, on the page", () => {
  let stage: PageStage;
  let directory: string;
  /** Has the sessions open that a test resumes in it. */
  let editor: AcpClient;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "caret-agent-"));
    const { file, args } = simulatorCommand();
    const agent = join(directory, "agent");
    writeFileSync(agent, `#!/bin/sh\nexec '${file}' '${args.join("' '")}' "$@"\n`, { mode: 0o755 });
    stage = await PageStage.open({ scenario, lane: "acp", env: { CARET_CLI_COMMAND: agent } });
    editor = await AcpClient.start(stage.home, { args: ["--lane", "acp"] });
  }, 180_000);
  afterEach(async () => {
    expect(await stage.leave()).toEqual([]);
  });
  afterAll(async () => {
    await editor.stop();
    await stage.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function openInEditor(sessionId: string): Promise<void> {
    await editor.agent.request("session/resume", { sessionId, cwd: stage.home.workspace });
    await editor.untilAsked();
  }

  const isThere = (name: string): boolean => existsSync(join(stage.home.workspace, name));

  it("comes after what a subagent did, which is shown under its task while it works", async () => {
    const { id } = await stage.session("Delegate it", { permission: "auto-edits" });
    const page = await stage.visit(`/s/${id}`);
    const approve = await readyApproval(page);
    // The turn waits: the task has not ended, and what its subagent does is there already.
    const card = await openCard(page, /^Task/);
    await card.getByText("I look around.").waitFor();
    await card.getByRole("list", { name: "Steps" }).getByText("greet.js").waitFor();
    await approve.click();
    await turnEnds(page, "Done");
    // The agent announces its commands in its first turn.
    await page.getByRole("textbox", { name: "Prompt" }).fill("/com");
    await page.getByRole("option", { name: /^\/compress Summarise the chat/ }).waitFor();
  });

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

  it.runIf(isFullRun())("is its plan, which it carries out when it is accepted", async () => {
    const { id } = await stage.session("Plan it", { permission: "auto-edits" });
    const page = await stage.visit(`/s/${id}`);
    await transcript(page).getByText("planned.txt").first().waitFor();
    expect(isThere("planned.txt")).toBe(false);
    await (await readyApproval(page)).click();
    await turnEnds(page, "Done");
    expect(isThere("planned.txt")).toBe(true);
  });

  it("is withdrawn from an editor that watches when the page has decided, and the editor sees the turn's end", async () => {
    const { id } = await stage.session("Make it again", { permission: "auto-edits" });
    await openInEditor(id);
    const page = await stage.visit(`/s/${id}`);
    await (await readyApproval(page)).click();
    await turnEnds(page, "Done");
    await expect.poll(() => editor.said(id, "agent_message_chunk")).toBe("Made.");
    expect([editor.withdrawn, editor.calls(id)]).toMatchObject([["`touch made.txt`"], {}]);
    editor.forgetAsked();
  });

  it.runIf(isFullRun())("leaves the page when it was decided in an editor, whose answer the page shows", async () => {
    const { id } = await stage.session("Ask me again", { permission: "auto-edits" });
    const page = await stage.visit(`/s/${id}`);
    await page.getByRole("form", { name: "Colour" }).waitFor();
    editor.decide = choosing("allow_once");
    await openInEditor(id);
    await turnEnds(page, "Done");
    await page.getByRole("form", { name: "Colour" }).waitFor({ state: "detached" });
    await transcript(page).getByText("Red").first().waitFor();
    editor.forgetAsked();
  });
});
