import type { AboutView } from "@caret/protocol";
import { expect, it } from "vitest";
import { firstChoices, keepChoices, type SessionChoices, toCreateSession } from "./session-choices.ts";

const about: AboutView = {
  version: "1",
  tokenName: "browser",
  lanes: [
    { lane: "cli", ready: true, simulated: false },
    { lane: "acp", ready: false, simulated: false },
  ],
  defaultLane: "cli",
  defaultModel: "auto",
  defaultPermission: "auto-edits",
  defaultWorkspace: "/work",
  workspaces: ["/work"],
  sandbox: "none",
};

function storage(text: string | null = null) {
  let kept = text;
  return {
    getItem: () => kept,
    setItem: (_: string, value: string) => {
      kept = value;
    },
  };
}

it("begins with what the gateway prefers", () => {
  const choices = { workspace: "/work", lane: "", model: "", permission: "auto-edits", sandbox: "", worktree: false };
  expect(firstChoices(about, storage())).toEqual(choices);
  expect(firstChoices(about, storage("not json"))).toEqual(choices);
});

it("begins with what was chosen last time, but with no lane that is gone", () => {
  const chosen: SessionChoices = {
    workspace: "/else",
    lane: "acp",
    model: "opus",
    permission: "auto",
    sandbox: "",
    worktree: false,
  };
  const kept = storage();
  keepChoices(chosen, kept);
  expect(firstChoices(about, kept)).toEqual({ ...chosen, lane: "" });
});

it("does not remember full access for the next session", () => {
  const kept = storage();
  keepChoices(
    { workspace: "/else", lane: "cli", model: "opus", permission: "full", sandbox: "", worktree: false },
    kept,
  );
  expect(firstChoices(about, kept)).toEqual({
    workspace: "/else",
    lane: "cli",
    model: "opus",
    permission: "auto-edits",
    sandbox: "",
    worktree: false,
  });
});

it("asks the gateway only for what was chosen", () => {
  expect(
    toCreateSession({ workspace: " ", lane: "", model: "", permission: "auto", sandbox: "", worktree: false }),
  ).toEqual({
    permission: "auto",
  });
  expect(
    toCreateSession({
      workspace: "/w ",
      lane: "cli",
      model: "m",
      permission: "full",
      sandbox: "strict",
      worktree: true,
    }),
  ).toEqual({
    workspace: "/w",
    lane: "cli",
    model: "m",
    permission: "full",
    sandbox: "strict",
    worktree: true,
  });
});
