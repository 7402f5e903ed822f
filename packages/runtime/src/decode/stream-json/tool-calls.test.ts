import { describe, expect, it } from "vitest";
import { decodeLines, summarise } from "../testing/decode-lines.ts";
import {
  answers,
  asks,
  completed,
  final,
  init,
  read,
  readsFile,
  result,
  started,
} from "../testing/stream-json-lines.ts";

const done = [final("ok"), result("ok")];

function toolsOf(...lines: readonly object[]) {
  return summarise([init, ...lines, ...done], { partial: false }).tools;
}

/** One call, start and end, and what it amounted to. */
function toolOf(start: object, end: object) {
  const [tool] = toolsOf(started("c1", start), completed("c1", end));
  return tool;
}

const shellArgs = {
  command: "make test",
  workingDirectory: "",
  timeout: 30_000,
  toolCallId: "c1",
  simpleCommands: ["make"],
  parsingResult: { parsingFailed: false, executableCommands: [] },
  isBackground: false,
};
const shell = (result: object) => toolOf({ shellToolCall: { args: shellArgs } }, { shellToolCall: { result } });

describe("the tool of a call", () => {
  it("is the key that ends in ToolCall, wherever its siblings stand", () => {
    const lines = [
      {
        type: "tool_call",
        subtype: "started",
        call_id: "c1",
        tool_call: { completedAtMs: "2", description: "List", startedAtMs: "1", lsToolCall: { args: { path: "/w" } } },
      },
      {
        type: "tool_call",
        subtype: "started",
        call_id: "c2",
        tool_call: { lsToolCall: { args: { path: "/w" } }, toolCallId: "c2", hookAdditionalContexts: [] },
      },
    ];
    expect(toolsOf(...lines).map(({ callId, name, kind }) => [callId, name, kind])).toEqual([
      ["c1", "ls", "search"],
      ["c2", "ls", "search"],
    ]);
  });

  it.each([
    ["only siblings", { toolCallId: "c1", startedAtMs: "5" }],
    ["nothing at all", undefined],
  ])("is unknown but paired when there is %s", (_name, tool_call) => {
    const lines = ["started", "completed"].map((subtype) => ({ type: "tool_call", subtype, call_id: "c1", tool_call }));
    expect(toolsOf(...lines).map(({ name, status }) => [name, status])).toEqual([["unknown", "ok"]]);
  });

  it("is chosen the same way and with a warning when two keys claim to be it", () => {
    const rivals = { writeToolCall: { args: { path: "b" } }, readToolCall: { args: { path: "a" } } };
    const { tools, notices } = summarise([init, started("c1", rivals), ...done], { partial: false });
    expect(tools[0]).toMatchObject({ name: "read", input: { path: "a" } });
    expect(notices).toEqual([
      { kind: "drift", message: "A tool call names several tools; read was taken, not writeToolCall" },
    ]);
  });

  it.each([
    ["parses arguments in a string", '{"key":"value"}', { key: "value" }],
    ["takes arguments in an object", { key: "value" }, { key: "value" }],
    ["keeps arguments that are broken JSON", "{not json", "{not json"],
  ])("%s of a function call", (_name, args, input) => {
    const tool = toolOf(
      { function: { name: "custom_tool", arguments: args } },
      { function: { name: "custom_tool", result: "fine" } },
    );
    expect(tool).toMatchObject({ name: "custom_tool", kind: "other", input, status: "ok", output: "fine" });
  });

  it.each([
    ["a oneof", { tool: { case: "shellToolCall", value: { args: { command: "ls" } } } }, "shell"],
    ["name and args", { name: "lookup", args: { q: 1 } }, "lookup"],
    ["id, name and input", { id: "c1", name: "lookup", input: { q: 1 } }, "lookup"],
  ])("is found in the shape of %s", (_name, tool_call, name) => {
    expect(toolsOf(started("c1", tool_call))[0]?.name).toBe(name);
  });

  it("goes through generically when nobody knows it", () => {
    const tool = toolOf(
      { fooToolCall: { args: { a: 1 } } },
      { fooToolCall: { args: { a: 1 }, result: { success: { b: [2] } } } },
    );
    expect(tool).toMatchObject({ name: "foo", kind: "other", input: { a: 1 }, status: "ok", output: '{"b":[2]}' });
  });
});

describe("pairing", () => {
  it("keeps an id with a newline whole", () => {
    expect(toolsOf(...readsFile("call-7\nfc_9"))[0]?.callId).toBe("call-7\nfc_9");
  });

  it.each([
    ["beside the tool", { toolCallId: "n1", lsToolCall: { args: { path: "/w" } } }],
    ["among the arguments", { lsToolCall: { args: { path: "/w", toolCallId: "n1" } } }],
  ])("uses the id %s when the event has none", (_name, tool_call) => {
    expect(toolsOf({ type: "tool_call", subtype: "started", tool_call })[0]?.callId).toBe("n1");
  });

  it("gives a nameless completion to the only open call", () => {
    const lines = ["started", "completed"].map((subtype) => ({
      type: "tool_call",
      subtype,
      tool_call: { lsToolCall: { args: {} } },
    }));
    expect(toolsOf(...lines).map(({ callId, status }) => [callId, status])).toEqual([["unnamed-1", "ok"]]);
  });

  it("pairs calls that complete out of order", () => {
    const [start, end] = read("/w/a.txt");
    const ids = ["c1", "c2", "c3"];
    const lines = [...ids.map((id) => started(id, start)), ...["c3", "c1", "c2"].map((id) => completed(id, end))];
    expect(toolsOf(...lines).map(({ callId, status }) => [callId, status])).toEqual(ids.map((id) => [id, "ok"]));
  });

  it("makes up the start of a call that only completes", () => {
    const failed = { taskToolCall: { args: { prompt: "p" }, result: { error: { error: "bad model" } } } };
    expect(decodeLines([completed("c1", failed)]).slice(0, 2)).toEqual([
      { type: "tool-call", callId: "c1", name: "task", kind: "task", input: { prompt: "p" }, owner: "agent" },
      { type: "tool-result", callId: "c1", status: "error", output: "bad model", durationMs: 50 },
    ]);
  });

  it("takes a second start, a second completion and a late start for what they are", () => {
    const [start, end] = read("/w/a.txt");
    const lines = [
      started("c1", start),
      started("c1", start),
      completed("c1", end),
      completed("c1", end),
      completed("c2", end),
      started("c2", start),
    ];
    expect(toolsOf(...lines).map(({ callId, status }) => [callId, status])).toEqual([
      ["c1", "ok"],
      ["c2", "ok"],
    ]);
  });

  it("tallies what is neither start nor completion", () => {
    const lines = ["progress", undefined].map((subtype) => ({ type: "tool_call", subtype, call_id: "c1" }));
    expect(summarise([...lines, ...done]).unknown).toEqual({ "tool_call:progress": 1, "tool_call:none": 1 });
  });

  it("interrupts a call that has no result when the turn ends", () => {
    const [start] = read("/w/a.txt");
    expect(toolsOf(started("c1", start))[0]).toMatchObject({ status: "interrupted" });
  });

  it("measures a call by the machine's own clock and never negatively", () => {
    const [start, end] = read("/w/a.txt");
    const backwards = {
      type: "tool_call",
      subtype: "completed",
      call_id: "c2",
      tool_call: { ...end, startedAtMs: "900", completedAtMs: "100" },
    };
    const tools = toolsOf(started("c1", start), completed("c1", end), started("c2", start), backwards);
    expect(tools.map(({ durationMs }) => durationMs)).toEqual([50, undefined]);
  });
});

describe("the outcome of a call", () => {
  it("keeps what the start knew when a rejection leaves the arguments out", () => {
    expect(
      shell({ rejected: { command: "make test", workingDirectory: "/w", reason: "", isReadonly: false } }),
    ).toMatchObject({
      name: "shell",
      input: { command: "make test", timeout: 30_000 },
      status: "rejected",
      output: "rejected",
    });
  });

  it.each([
    ["interleaved output", { stdout: "a\n", stderr: "b\n", interleavedOutput: "b\na\n" }, "b\na\n"],
    ["both streams when there is no interleaved output", { stdout: "a", stderr: "b", interleavedOutput: "" }, "a\nb"],
    [
      "head and tail of a long output",
      { stdout: "", stderr: "", outputHead: "first", outputTail: "last", elidedChars: 90 },
      "first\n… 90 characters left out …\nlast",
    ],
  ])("shows a shell's %s", (_name, output, expected) => {
    expect(shell({ success: { exitCode: 0, ...output }, isBackground: false })).toMatchObject({
      status: "ok",
      output: expected,
      exitCode: 0,
    });
    expect(shell({ failure: { exitCode: 2, aborted: false, ...output }, isBackground: false })).toMatchObject({
      status: "error",
      output: expected,
      exitCode: 2,
    });
  });

  it.each([
    [
      "failure of an aborted command",
      { failure: { exitCode: -1, aborted: true, stdout: "half", stderr: "" } },
      "interrupted",
      "half",
    ],
    [
      "timeout",
      { timeout: { command: "make test", workingDirectory: "", timeoutMs: 5 } },
      "error",
      "timeout: make test",
    ],
    ["spawnError", { spawnError: { command: "x", error: "ENOENT" } }, "error", "ENOENT"],
    ["permissionDenied", { permissionDenied: { command: "x", error: "not allowed" } }, "rejected", "not allowed"],
    ["an arm nobody knows", { somethingNew: { detail: "odd" } }, "error", "odd"],
    ["an empty arm nobody knows", { somethingNew: {} }, "error", "something new"],
    ["fileNotFound", { fileNotFound: { path: "/w/x" } }, "error", "file not found: /w/x"],
    ["readPermissionDenied", { readPermissionDenied: { path: "/w/x" } }, "error", "read permission denied: /w/x"],
    ["a boolean success", { success: true }, "ok", ""],
    ["a denied boolean success", { success: false }, "error", "success"],
    ["async", { async: {} }, "ok", ""],
    ["a kind of success", { saveSuccess: { message: "saved" } }, "ok", "saved"],
    ["stillRunning", { stillRunning: { message: "busy" } }, "ok", "busy"],
  ])("reads %s", (_name, result, status, output) => {
    expect(shellLess(result)).toMatchObject({ status, output });
  });

  it.each([
    [
      "a command",
      "shell",
      {
        permissionDenied: {
          command: "git push",
          workingDirectory: "/w",
          error: "Command blocked by permissions configuration",
          isReadonly: false,
        },
      },
      "Command blocked by permissions configuration",
    ],
    [
      "a removal",
      "delete",
      { permissionDenied: { path: "/w/x", clientVisibleError: "Denied here", isReadonly: true } },
      "Denied here",
    ],
    [
      "a call of a server",
      "mcp",
      { permissionDenied: { error: "Not on the list", isReadonly: false } },
      "Not on the list",
    ],
    [
      "a change",
      "edit",
      { writePermissionDenied: { path: "/w/x", error: "Denied by Write(**)", isReadonly: false } },
      "Denied by Write(**)",
    ],
    ["a command without a word", "shell", { permissionDenied: { command: "rm x" } }, "permission denied: rm x"],
  ])("takes the denial of %s for a rejection", (_what, tool, result, output) => {
    const key = `${tool}ToolCall`;
    const denied = toolOf({ [key]: { args: { command: "git push" } } }, { [key]: { result } });
    expect({ status: denied?.status, output: denied?.output }).toEqual({ status: "rejected", output });
  });

  it("takes what the system itself forbids for a failure", () => {
    const error = "EACCES: permission denied, open '/w/x'";
    const result = { writePermissionDenied: { path: "/w/x", error, isReadonly: false } };
    expect(toolOf({ editToolCall: { args: {} } }, { editToolCall: { result } })).toMatchObject({ status: "error" });
  });

  it.each([
    ["asked for", { success: { exitCode: 0, stdout: "", shellId: 3, pid: 77 }, isBackground: true, pid: 77 }],
    [
      "after its time",
      {
        success: { exitCode: 0, stdout: "", shellId: 3, pid: 77, backgroundReason: "SHELL_BACKGROUND_REASON_TIMEOUT" },
      },
    ],
    ["by number", { success: { exitCode: 0, stdout: "", shellId: 3, pid: 77, backgroundReason: 2 } }],
    ["for another reason", { success: { exitCode: 0, stdout: "", shellId: 3, pid: 77, backgroundReason: "agent" } }],
  ])("gives a command in the background, %s, no exit code that is not its own", (_why, result) => {
    const args = { command: "npm start" };
    const tool = toolOf({ shellToolCall: { args } }, { shellToolCall: { args, result } });
    expect({ status: tool?.status, output: tool?.output, exitCode: tool?.exitCode }).toEqual({
      status: "ok",
      output: "Runs in the background as shell 3, process 77",
      exitCode: undefined,
    });
  });

  it("keeps the exit code of a command that ended, whose reason for the background is none", () => {
    const success = { exitCode: 3, stdout: "", backgroundReason: "SHELL_BACKGROUND_REASON_UNSPECIFIED" };
    const call = { shellToolCall: { args: { command: "x", isBackground: false } } };
    expect(toolOf(call, { shellToolCall: { result: { success } } })).toMatchObject({ exitCode: 3 });
  });

  const shellLess = (result: object) => toolOf({ awaitToolCall: { args: {} } }, { awaitToolCall: { result } });

  it("reads the nested text of an MCP result, and its server and tool by their own fields", () => {
    const args = {
      name: "my-server-echo",
      args: { text: "x" },
      toolCallId: "c1",
      providerIdentifier: "my-server",
      toolName: "echo",
    };
    const success = {
      content: [{ text: { text: "x" } }, { image: { data: "" } }, { type: "text", text: "y" }],
      isError: false,
    };
    expect(toolOf({ mcpToolCall: { args } }, { mcpToolCall: { args, result: { success } } })).toMatchObject({
      name: "echo",
      server: "my-server",
      kind: "mcp",
      input: { text: "x" },
      status: "ok",
      output: "x\n[image]\ny",
    });
  });

  it("takes an MCP success that says it is an error for an error", () => {
    const success = { content: [{ text: { text: "boom" } }], isError: true };
    expect(toolOf({ mcpToolCall: { args: {} } }, { mcpToolCall: { result: { success } } })).toMatchObject({
      status: "error",
      output: "boom",
    });
  });

  it("shows an edit as the change from before to after, never as its fragment", () => {
    const args = { path: "/w/note.txt", streamContent: "bye" };
    const success = {
      path: "/w/note.txt",
      linesAdded: 1,
      linesRemoved: 1,
      diffString: "@@ -1 +1 @@\n-hi\n+bye",
      beforeFullFileContent: "hi\nall\n",
      afterFullFileContent: "bye\nall\n",
      message: "The file was updated.",
    };
    expect(toolOf({ editToolCall: { args } }, { editToolCall: { args, result: { success } } })).toMatchObject({
      name: "edit",
      kind: "edit",
      output: "The file was updated.",
      diff: { path: "/w/note.txt", before: "hi\nall\n", after: "bye\nall\n", unified: "@@ -1 +1 @@\n-hi\n+bye" },
    });
  });

  it.each([
    ["marks a read without content as binary", { fileSize: "12", path: "/w/x.png" }, "[binary content, 12 bytes]"],
    ["marks a read without size as binary", { path: "/w/x.png" }, "[binary content]"],
    ["shows an empty file as empty", { isEmpty: true, path: "/w/x" }, ""],
  ])("%s", (_name, success, output) => {
    const [start] = read("/w/x");
    expect(toolOf(start, { readToolCall: { result: { success } } })).toMatchObject({ status: "ok", output });
  });

  it.each([
    [
      "grep",
      {
        workspaceResults: {
          "/w": { content: { matches: [{ file: "a.ts", matches: [{ lineNumber: 3, content: "x" }] }] } },
        },
      },
      "a.ts:3:x",
    ],
    ["glob", { pattern: "", path: "/w", files: ["a", "b"], totalFiles: 2 }, "a\nb"],
    ["delete", { path: "/w/a", deletedFile: "/w/a", fileSize: "2", prevContent: "x" }, "Deleted /w/a"],
    ["webFetch", { url: "u", markdown: "# T" }, "# T"],
    ["webSearch", { references: [{ title: "T", url: "u", chunk: "c" }] }, "T\nu\nc"],
    ["task", { conversationSteps: [{ assistantMessage: { text: "did it" } }], agentId: "x" }, "did it"],
    [
      "task",
      { conversationSteps: [], agentId: "x", isBackground: true, durationMs: "50" },
      "Runs in the background as x",
    ],
    [
      "ls",
      {
        directoryTreeRoot: {
          absPath: "/w",
          childrenDirs: [{ absPath: "/w/d", childrenFiles: [{ name: "f" }] }],
          childrenFiles: [{ name: "g" }],
        },
      },
      "w/\n  d/\n    f\n  g",
    ],
  ])("tells what %s found", (name, success, output) => {
    expect(
      toolOf({ [`${name}ToolCall`]: { args: {} } }, { [`${name}ToolCall`]: { result: { success } } }),
    ).toMatchObject({ status: "ok", output });
  });

  it("does not take a skipped question for a person's answer", () => {
    const reason = "Questions skipped by the user, continue with the information you already have";
    const lines = [
      asks("askQuestionInteractionQuery", {
        args: { title: "Which?", questions: [{ id: "q", prompt: "Which file?", options: [{ id: "a", label: "A" }] }] },
        toolCallId: "c1",
      }),
      answers("askQuestionInteractionQuery", "askQuestionInteractionResponse", { result: { rejected: { reason } } }),
      started("c1", { askQuestionToolCall: { args: {} } }),
      completed("c1", { askQuestionToolCall: { result: { rejected: { reason } } } }),
    ];
    expect(decodeLines(lines).filter(({ type }) => type.startsWith("question"))).toEqual([
      {
        type: "question",
        requestId: "query-0",
        callId: "c1",
        title: "Which?",
        questions: [{ id: "q", prompt: "Which file?", options: [{ id: "a", label: "A" }], allowMultiple: false }],
      },
      { type: "question-answer", requestId: "query-0", outcome: "no-input-surface", reason },
    ]);
    expect(toolsOf(...lines)[0]).toMatchObject({
      status: "rejected",
      output: "Nobody could be asked: this turn has no input surface.",
    });
  });

  it("logs what the CLI asked and answered itself", () => {
    const lines = [
      asks("webFetchRequestQuery", { args: { url: "https://example.org", toolCallId: "c1" }, skipApproval: false }),
      answers("webFetchRequestQuery", "webFetchRequestResponse", { rejected: { reason: "User Rejected" } }),
      asks("webSearchRequestQuery", { args: { searchTerm: "x" } }),
      answers("webSearchRequestQuery", "webSearchRequestResponse", { approved: {} }),
      asks("createPlanRequestQuery", { args: { plan: "p" }, toolCallId: "c2" }),
      answers("createPlanRequestQuery", "createPlanRequestResponse", { result: { success: {} } }),
    ];
    expect(decodeLines(lines).slice(0, 7)).toEqual([
      {
        type: "approval-request",
        requestId: "query-0",
        callId: "c1",
        subject: "webFetch",
        input: { url: "https://example.org" },
      },
      { type: "approval-answer", requestId: "query-0", decision: "rejected", by: "agent", reason: "User Rejected" },
      { type: "approval-request", requestId: "query-0", subject: "webSearch", input: { searchTerm: "x" } },
      { type: "approval-answer", requestId: "query-0", decision: "approved", by: "agent" },
      { type: "plan", callId: "c2", text: "p" },
      { type: "approval-request", requestId: "query-0", callId: "c2", subject: "createPlan", input: { plan: "p" } },
      { type: "approval-answer", requestId: "query-0", decision: "approved", by: "agent" },
    ]);
  });

  it("keeps the list of todos, replaced or merged", () => {
    const todos = (items: readonly (readonly [string, string])[], merge: boolean) => {
      const args = {
        todos: items.map(([id, status]) => ({ id, content: `do ${id}`, status, createdAt: "1", dependencies: [] })),
        merge,
      };
      return { updateTodosToolCall: { args, result: { success: { todos: [], totalCount: items.length } } } };
    };
    const { todos: list } = summarise([
      completed(
        "c1",
        todos(
          [
            ["1", "TODO_STATUS_PENDING"],
            ["2", "TODO_STATUS_PENDING"],
          ],
          false,
        ),
      ),
      completed(
        "c2",
        todos(
          [
            ["1", "TODO_STATUS_COMPLETED"],
            ["3", "TODO_STATUS_IN_PROGRESS"],
          ],
          true,
        ),
      ),
      ...done,
    ]);
    expect(list).toEqual([
      { id: "1", content: "do 1", status: "completed" },
      { id: "2", content: "do 2", status: "pending" },
      { id: "3", content: "do 3", status: "in-progress" },
    ]);
  });

  it("tells a plan when it is made", () => {
    const args = { plan: "1. look\n2. leap", name: "Leap", overview: "", todos: [], isProject: false };
    expect(decodeLines([started("c1", { createPlanToolCall: { args } })])[1]).toEqual({
      type: "plan",
      callId: "c1",
      text: "1. look\n2. leap",
      name: "Leap",
    });
  });
});

describe("what a subagent did", () => {
  const reads = (path: string, more: object = {}) => ({
    toolCall: { readToolCall: { args: { path }, result: { success: { content: "x" } } }, ...more },
  });
  const steps = [
    { thinkingMessage: { text: "Hm." } },
    reads("a.ts"),
    reads("b.ts", { toolCallId: "own" }),
    reads("c.ts", { toolCallId: "c1" }),
    { assistantMessage: { text: "Both are fine." } },
  ];

  it("is shown as calls of its task, under ids that are nobody else's", () => {
    const task = { taskToolCall: { args: { description: "Look", prompt: "Look" } } };
    const lines = [
      started("c1", task),
      completed("c1", { taskToolCall: { result: { success: { conversationSteps: steps, agentId: "x" } } } }),
    ];
    const events = decodeLines([init, ...lines, ...done], { partial: false });
    const calls = events.flatMap((event) =>
      event.type === "tool-call" ? [[event.callId, event.name, event.parentCallId]] : [],
    );
    expect(calls).toEqual([
      ["c1", "task", undefined],
      ["c1/2", "read", "c1"],
      ["own", "read", "c1"],
      ["c1/4", "read", "c1"],
    ]);
    expect(toolsOf(...lines).map(({ callId, status, output }) => [callId, status, output])).toEqual([
      ["c1", "ok", "Both are fine."],
      ["c1/2", "ok", "x"],
      ["own", "ok", "x"],
      ["c1/4", "ok", "x"],
    ]);
  });
});
