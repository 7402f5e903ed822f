import { randomUUID } from "node:crypto";
import type { OpenedEngine } from "@caret/cli/src/engine/compose.ts";
import { createSessionGrants, type TurnRequest } from "@caret/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endOf, type PlayedTurn, playTurn } from "../turns/play-turn.ts";
import { TurnBench } from "../turns/turn-bench.ts";

let bench: TurnBench;
beforeEach(() => {
  bench = new TurnBench();
});
afterEach(() => bench.remove());

const open = (settings = {}): Promise<OpenedEngine> =>
  bench.open({ settings: { lane: "auto", ...settings }, keepWarm: true });

/** The terms of a turn that a person attends, in a session that works here. */
function attended(permission: "supervised" | "auto-edits" | "full", workspace: string): Omit<TurnRequest, "prompt"> {
  const grants = createSessionGrants({ newId: randomUUID, now: Date.now });
  const common = { workspace, attended: true, agentTools: { permission, grants } } as const;
  if (permission === "full") return { ...common, force: true };
  return {
    ...common,
    agentWorkspace: bench.workspace(),
    gatewayTools: { system: "", realWorkspace: workspace, permission, grants },
  };
}

function startOf({ events }: PlayedTurn): readonly unknown[] {
  const [start] = events;
  return start?.type === "turn-start" ? [start.lane, start.laneReason] : [];
}

describe("the lane of a turn that names none", () => {
  test("is print mode where nobody is asked, and ACP where the agent can ask the person who attends", async () => {
    const { engine } = await open();
    const everyday = await playTurn(engine, { prompt: "Hello", workspace: bench.workspace() });
    const full = await playTurn(engine, { prompt: "Hello", ...attended("full", bench.workspace()) });
    const supervised = await playTurn(engine, { prompt: "Hello", ...attended("supervised", bench.workspace()) });
    expect([startOf(everyday), startOf(full), startOf(supervised)]).toEqual([
      ["cli", "no person has to be asked by the agent itself"],
      ["acp", "the agent can ask you there"],
      ["cli", "no person has to be asked by the agent itself"],
    ]);
  });

  test("asks about the agent's own tools where the settings say so, but never without being able to", async () => {
    const { engine } = await open({ tools: { attended: "agent" } });
    const edits = await playTurn(engine, { prompt: "Hello", ...attended("auto-edits", bench.workspace()) });
    const supervised = await playTurn(engine, { prompt: "Hello", ...attended("supervised", bench.workspace()) });
    expect([startOf(edits)[0], startOf(supervised)[0]]).toEqual(["acp", "cli"]);
  });

  test("stays where the session's chat is", async () => {
    const { engine } = await open();
    const first = await playTurn(engine, { prompt: "My name is Ada.", workspace: bench.workspace() });
    const { workspace, ...terms } = attended("full", "");
    const second = await playTurn(engine, { prompt: "What is my name?", sessionId: first.turn.sessionId, ...terms });
    expect([startOf(second), second.text]).toEqual([
      ["cli", "the session's chat is there"],
      expect.stringContaining("Ada"),
    ]);
  });

  test("is another one when the first fails before it answers, and a notice says so", async () => {
    const { engine } = await open();
    const broken = `case "$*" in *acp*) echo "Segmentation fault" >&2; exit 139 ;; esac\n${bench.simulator()}`;
    const { events, outcome, text } = await playTurn(engine, {
      prompt: "Say hello",
      ...attended("full", bench.workspace(broken)),
    });
    const notices = events.flatMap((event) => (event.type === "notice" ? [[event.kind, event.message]] : []));
    expect([endOf(outcome), text !== "", notices]).toEqual([
      "completed",
      true,
      [["lane-fallback", "The acp lane failed (The agent crashed (segmentation fault)); the cli lane runs the turn"]],
    ]);
  });

  test("is never the unofficial one, and a lane that cannot do what a turn needs is refused by name", async () => {
    const { engine } = await open();
    const path = bench.scenario({});
    const asked = engine.startTurn({
      prompt: "What is it?",
      lane: "cli",
      images: [{ path, mediaType: "image/png" }],
      ...attended("auto-edits", bench.workspace()),
    });
    await expect(asked).rejects.toMatchObject({
      code: "unsupported",
      message: "The cli lane cannot do what this turn needs: the agent is given images as they are",
    });
  });
});
