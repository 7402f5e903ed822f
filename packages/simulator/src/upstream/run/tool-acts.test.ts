import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { ExecClientMessageSchema } from "@caret/protocol/agent-api/exec";
import { InteractionResponseSchema } from "@caret/protocol/agent-api/interactions";
import { afterEach, describe, expect, it } from "vitest";
import type { StepInput } from "../../scenario/step-shapes.ts";
import { asJson, ask, RunClient } from "../testing/run-client.ts";
import { startUpstream, type Upstream } from "../upstream.ts";
import { arm } from "./act.ts";

let upstream: Upstream | undefined;
afterEach(() => upstream?.close());

type Tool = Extract<StepInput, { tool: unknown }>["tool"];

interface Played {
  /** What the client was asked, by the key of the exec or query. */
  readonly asked: readonly JsonObject[];
  /** The call as it was shown when it had ended. */
  readonly shown: JsonObject;
}

/** Plays one call, with a client that answers each exec or query with the next of these, as protobuf's JSON. */
async function play(tool: Tool, ...answers: readonly JsonObject[]): Promise<Played> {
  upstream = await startUpstream({ scenario: { turns: [[{ tool }]] } });
  const left = [...answers];
  const client = new RunClient({
    url: upstream.url,
    httpVersion: "2",
    onExec: () => fromJson(ExecClientMessageSchema, left.shift() ?? {}).message,
    onMessage: ({ message }, say) => {
      if (message.case !== "interactionQuery") return;
      const value = fromJson(InteractionResponseSchema, { ...left.shift(), id: message.value.id });
      void say({ case: "interactionResponse", value });
    },
  });
  const { messages } = await client.run(ask("hi"));
  const asked = messages.map(asJson).flatMap((json) => {
    const {
      id: _id,
      execId: _execId,
      ...question
    } = (json["execServerMessage"] ?? json["interactionQuery"] ?? {}) as JsonObject;
    return Object.keys(question).length === 0 || "requestContextArgs" in question ? [] : [question];
  });
  const calls = messages.map((message) => arm(asJson(message), "interactionUpdate", "toolCallCompleted", "toolCall"));
  const completed = calls.find((call) => call !== undefined);
  const { toolCallId: _callId, ...shown } = completed ?? {};
  return { asked, shown };
}

describe("a call of the agent's own tool", () => {
  it.each([
    ["exit code 0", { exit: { cwd: "/work" } }, { success: { command: "ls", workingDirectory: "/work" } }],
    ["another exit code", { exit: { code: 3 } }, { failure: { command: "ls", exitCode: 3 } }],
    ["a rejection", { rejected: { command: "ls", reason: "no" } }, { rejected: { command: "ls", reason: "no" } }],
  ] as const)("runs a command, which ends with %s", async (_end, event, result) => {
    const { asked, shown } = await play({ name: "shell", args: { command: "ls" } }, { shellStream: event });
    expect(asked).toMatchObject([
      { shellStreamArgs: { command: "ls", workingDirectory: "/work", simpleCommands: ["ls"] } },
    ]);
    expect(shown).toMatchObject({ shellToolCall: { result } });
  });

  it.each([
    [
      { success: { path: "/work/a", content: "alpha", totalLines: 1, fileSize: "5" } },
      { success: { content: "alpha", totalLines: 1, fileSize: 5, path: "/work/a" } },
    ],
    [{ fileNotFound: { path: "/work/a" } }, { error: { errorMessage: "File not found" } }],
    [{ rejected: { path: "/work/a", reason: "no" } }, { error: { errorMessage: "no" } }],
  ] as const)("reads a file: %j", async (readResult, result) => {
    const { asked, shown } = await play({ name: "read", args: { path: "a", limit: 5 } }, { readResult });
    expect(asked).toMatchObject([{ readArgs: { path: "/work/a", limit: 5 } }]);
    expect(shown).toEqual({ readToolCall: { args: { path: "/work/a", limit: 5 }, result } });
  });

  it("replaces a piece of a file by reading and writing it", async () => {
    const read = { readResult: { success: { path: "/work/a", content: "one two" } } };
    const write = { writeResult: { success: { path: "/work/a", linesCreated: 1 } } };
    const args = { path: "a", oldText: "two", newText: "three" };
    const { asked, shown } = await play({ name: "edit", args }, read, write);
    expect(asked).toMatchObject([
      { readArgs: { path: "/work/a" } },
      { writeArgs: { path: "/work/a", fileText: "one three" } },
    ]);
    expect(shown).toMatchObject({ editToolCall: { result: { success: { afterFullFileContent: "one three" } } } });
  });

  it.each([
    [
      "write",
      { path: "a", contents: "x" },
      { writeResult: { rejected: { path: "/work/a", reason: "no" } } },
      { editToolCall: { result: { rejected: { path: "/work/a", reason: "no" } } } },
    ],
    [
      "delete",
      { path: "a" },
      { deleteResult: { success: { path: "/work/a" } } },
      { deleteToolCall: { result: { success: { path: "/work/a" } } } },
    ],
    [
      "grep",
      { pattern: "a", path: "." },
      { grepResult: { error: { error: "no" } } },
      { grepToolCall: { result: { error: { error: "no" } } } },
    ],
    [
      "glob",
      { globPattern: "*.md" },
      { grepResult: { success: { workspaceResults: { "/work": { files: { files: ["a.md"], totalFiles: 1 } } } } } },
      { globToolCall: { result: { success: { pattern: "*.md", path: "/work", files: ["a.md"], totalFiles: 1 } } } },
    ],
    [
      "ls",
      { path: "." },
      { lsResult: { success: { directoryTreeRoot: { absPath: "/work", childrenFiles: [{ name: "a" }] } } } },
      { lsToolCall: { result: { success: { directoryTreeRoot: { absPath: "/work" } } } } },
    ],
    [
      "webFetch",
      { url: "https://a.example" },
      { webFetchRequestResponse: { rejected: { reason: "no" } } },
      { webFetchToolCall: { result: { rejected: { reason: "no" } } } },
    ],
    [
      "webSearch",
      { searchTerm: "x" },
      { webSearchRequestResponse: { approved: {} } },
      { webSearchToolCall: { result: { success: { references: [{ title: "About x" }] } } } },
    ],
    [
      "askQuestion",
      { title: "t", questions: [] },
      { askQuestionInteractionResponse: { result: { rejected: { reason: "no" } } } },
      { askQuestionToolCall: { result: { rejected: { reason: "no" } } } },
    ],
    [
      "createPlan",
      { plan: "p" },
      { createPlanRequestResponse: { result: { success: {} } } },
      { createPlanToolCall: { result: { success: {} } } },
    ],
    [
      "task",
      { prompt: "look" },
      { subagentResult: { success: { agentId: "a1", finalMessage: "done" } } },
      { taskToolCall: { result: { success: { agentId: "a1" } } } },
    ],
  ] satisfies readonly (readonly [string, JsonObject, JsonObject, object])[])(
    "%s %j, answered with %j",
    async (name, args, answer, shown) => {
      const played = await play({ name, args }, answer);
      expect(played.asked).toHaveLength(1);
      expect(played.shown).toMatchObject(shown);
    },
  );

  it("keeps the todos itself", async () => {
    const todos = [{ id: "1", content: "look", status: "in_progress" }];
    const { asked, shown } = await play({ name: "updateTodos", args: { todos } });
    const listed = [{ id: "1", content: "look", status: "TODO_STATUS_IN_PROGRESS" }];
    expect([asked, shown]).toMatchObject([
      [],
      { updateTodosToolCall: { result: { success: { todos: listed, totalCount: 1 } } } },
    ]);
  });

  it("shows as a failure what the client answers without a result", async () => {
    const { shown } = await play({ name: "read", args: { path: "a" } });
    const errorMessage = "The client answered with nothing instead of readResult";
    expect(shown).toMatchObject({ readToolCall: { result: { error: { errorMessage } } } });
  });
});

describe("a call of the client's tool", () => {
  const tool = { name: "weather", server: "home", args: { city: "Paris", days: 2 } };
  const text = (words: string) => ({ content: [{ text: { text: words } }] });

  it.each([
    [{ success: text("Sunny") }, { success: text("Sunny") }],
    [{ success: { ...text("Broken"), isError: true } }, { success: { ...text("Broken"), isError: true } }],
    [{ rejected: { reason: "no" } }, { rejected: { reason: "no" } }],
    [{ toolNotFound: { name: "weather" } }, { error: { error: "The client answered: toolNotFound" } }],
  ] as const)("is answered with %j", async (mcpResult, result) => {
    const { asked, shown } = await play(tool, { mcpResult });
    const args = {
      name: "home-weather",
      args: tool.args,
      providerIdentifier: "home",
      toolName: "weather",
      serverIdentifier: "home",
    };
    expect(asked).toMatchObject([{ mcpArgs: args }]);
    expect(shown).toMatchObject({ mcpToolCall: { args, result } });
  });
});
