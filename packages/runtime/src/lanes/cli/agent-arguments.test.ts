import { CaretError } from "@caret/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTurnActs } from "../../log/turn-acts.ts";
import { barSize } from "../../testing/bar-size.ts";
import type { LaneRequest } from "../lane.ts";
import { type AgentPolicy, contractTurn, fitsArgument, officialInvocation } from "./agent-arguments.ts";
import { type AgentProgram, findProgram } from "./agent-program.ts";

const policy: AgentPolicy = { trust: true, approveMcps: false, sandbox: undefined, maxArgBytes: 100_000 };
const settings = { command: "agent", args: [], promptAsArg: false, models: {} };
const program = findProgram("gpt-5", settings);
const print = ["-p", "--output-format", "stream-json", "--stream-partial-output", "--model", "gpt-5"];

function requestOf(more: Partial<LaneRequest> = {}): LaneRequest {
  return {
    turnId: "turn-1",
    prompt: "Hello",
    workspace: "/work/house",
    model: "gpt-5",
    mode: "agent",
    force: false,
    upstream: undefined,
    previousTurnId: undefined,
    acts: createTurnActs(),
    loadHistory: async () => [],
    offered: undefined,
    ...more,
  };
}

function refusalOf(request: Partial<LaneRequest>, asked: AgentProgram = program): string {
  try {
    officialInvocation(requestOf(request), asked, policy, false);
    return "accepted";
  } catch (reason) {
    return CaretError.from(reason).code;
  }
}

describe("the official CLI's arguments", () => {
  it("are these for a plain turn, the prompt on standard input", () => {
    expect(officialInvocation(requestOf(), program, policy, false)).toEqual({
      args: [...print, "--workspace", "/work/house", "--trust"],
      stdin: "Hello",
    });
  });

  it("say everything that was asked for", () => {
    const request = requestOf({
      mode: "plan",
      force: true,
      upstream: { lane: "cli", sessionId: "0d6f0000-0000-4000-8000-000000000001" },
    });
    const strict: AgentPolicy = { ...policy, trust: false, approveMcps: true, sandbox: "enabled" };
    expect(officialInvocation(request, program, strict, false).args).toEqual([
      ...print,
      "--workspace",
      "/work/house",
      "--mode",
      "plan",
      "--force",
      "--approve-mcps",
      "--sandbox",
      "enabled",
      "--resume",
      "0d6f0000-0000-4000-8000-000000000001",
    ]);
  });

  it("make a chat under an id that was chosen ahead of time, and bound the wait for background commands", () => {
    const sessionId = "0d6f0000-0000-4000-8000-000000000001";
    const request = requestOf({ upstream: { lane: "cli", sessionId, isReserved: true } });
    expect(officialInvocation(request, program, { ...policy, backgroundShellMs: 13_500 }, false).args).toEqual([
      ...print,
      "--workspace",
      "/work/house",
      "--trust",
      "--background-shell-timeout",
      "13",
      "--new-session-id",
      sessionId,
    ]);
  });

  it("put the prompt last, after --, and add no approval of their own", () => {
    expect(officialInvocation(requestOf({ prompt: "--force" }), program, policy, true)).toEqual({
      args: [...print, "--workspace", "/work/house", "--trust", "--", "--force"],
      stdin: undefined,
    });
  });

  it("give every approval, once, for an entry in the old shape, however its prompt travels", () => {
    const entry = {
      args: ["-p", "--force"],
      promptAsArg: true,
      authProfiles: [],
      fallbackModels: [],
      enabled: true,
    };
    const own = findProgram("own", { ...settings, models: { own: entry } });
    const args = ["-p", "--force", "--model", "auto", "--workspace", "/work/house", "--trust", "--approve-mcps"];
    expect(officialInvocation(requestOf(), own, policy, true).args).toEqual([...args, "--", "Hello"]);
    expect(officialInvocation(requestOf(), own, policy, false)).toEqual({ args, stdin: "Hello" });
  });

  it("are the same whatever the prompt says: it never becomes an option", () => {
    const prompt = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("-", "--", "---", "--force", "-p", "--model=x", "--resume", "-f --trust"),
      fc.string().map((text) => `-${text}`),
      fc.string().map((text) => `--${text}=x`),
    );
    const plain = officialInvocation(requestOf(), program, policy, false).args;
    fc.assert(
      fc.property(prompt, (text) => {
        const byInput = officialInvocation(requestOf({ prompt: text }), program, policy, false);
        const byArgument = officialInvocation(requestOf({ prompt: text }), program, policy, true);
        expect(byInput).toEqual({ args: plain, stdin: text });
        expect(byArgument).toEqual({ args: [...plain, "--", text], stdin: undefined });
        expect(byArgument.args.indexOf("--")).toBe(plain.length);
      }),
      { numRuns: barSize({ quick: 300, full: 10_000 }) },
    );
  });

  it.each(["--force", "-x", "", "a b", "a\nb", "../../etc"])("refuse the upstream session %j", (sessionId) => {
    expect(refusalOf({ upstream: { lane: "cli", sessionId } })).toBe("session-not-found");
  });

  it.each(["--force", "", " gpt", "gpt 5", "gpt\n5"])("refuse the model %j", (model) => {
    expect(refusalOf({}, findProgram(model, settings))).toBe("model-unknown");
  });

  it.each(["gpt-5", "opus-4.5-thinking", "composer-1[effort=high,fast=true]", "vendor/model:latest@2"])(
    "accept the model %s",
    (model) => {
      expect(refusalOf({}, findProgram(model, settings))).toBe("accepted");
    },
  );
});

describe("a prompt", () => {
  it("fits an argument by its bytes, not its characters, and never with a NUL", () => {
    expect({
      exactly: fitsArgument("éé", 4),
      tooLong: fitsArgument("éé", 3),
      withNul: fitsArgument("a\0b", 100),
    }).toEqual({ exactly: true, tooLong: false, withNul: false });
  });

  it("of a program of one's own is one line of JSON with what was said before", async () => {
    const request = requestOf({
      prompt: "two\nlines",
      loadHistory: async () => [
        { role: "user", text: "one" },
        { role: "assistant", text: "first" },
      ],
    });
    const line = await contractTurn(request);
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(JSON.parse(line)).toEqual({
      type: "turn",
      turnId: "turn-1",
      messages: [
        { role: "user", content: "one" },
        { role: "assistant", content: "first" },
        { role: "user", content: "two\nlines" },
      ],
      tools: [],
      workspace: "/work/house",
    });
  });
});
