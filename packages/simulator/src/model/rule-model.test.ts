import { describe, expect, it } from "vitest";
import {
  type JsonSchema,
  type ModelCall,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  nativeToolNames,
  type OfferedTool,
} from "./model.ts";
import { createRuleModel } from "./rule-model.ts";

const model = createRuleModel({ seed: 1 });

/** A world of files that both native and clients' tools work on, as plainly as can be. */
type Files = Record<string, string>;

interface Turn {
  readonly calls: readonly (readonly string[])[];
  readonly text: string;
  readonly thinking: string;
  readonly replies: readonly ModelReply[];
  readonly messages: readonly ModelMessage[];
}

interface TurnOptions {
  readonly files?: Files;
  readonly offered?: readonly OfferedTool[];
  readonly native?: ModelRequest["nativeTools"];
  readonly mode?: ModelRequest["mode"];
  readonly earlier?: readonly ModelMessage[];
  readonly run?: (call: ModelCall) => { ok: boolean; output: string };
}

function turn(prompt: string, options: TurnOptions = {}): Turn {
  const { files = {}, offered = [], native = nativeToolNames, mode = "agent" } = options;
  const run = options.run ?? ((call: ModelCall) => runCall(call, files));
  const messages: ModelMessage[] = [...(options.earlier ?? []), { role: "user", text: prompt }];
  const replies: ModelReply[] = [];
  for (;;) {
    const reply = model({ messages, nativeTools: native, offeredTools: offered, mode, workspace: "/scratch" });
    replies.push(reply);
    messages.push({ role: "assistant", text: reply.text ?? "", calls: reply.calls });
    if (reply.calls.length === 0) break;
    // Results come back in the opposite order, as parallel calls may.
    for (const call of reply.calls.toReversed()) messages.push({ role: "tool", call, ...run(call) });
    if (replies.length > 40) throw new Error("The model does not come to an end");
  }
  return {
    calls: replies.flatMap(({ calls }) => (calls.length === 0 ? [] : [calls.map(spell)])),
    text: replies.at(-1)?.text ?? "",
    thinking: replies.map(({ thinking }) => thinking ?? "").join(""),
    replies,
    messages,
  };
}

function spell({ server, name, args }: ModelCall): string {
  return `${server === undefined ? "" : `${server}/`}${name} ${JSON.stringify(args)}`;
}

function runCall({ name, args }: ModelCall, files: Files): { ok: boolean; output: string } {
  const path = String(args["path"] ?? args["filePath"] ?? args["file_path"] ?? "").replace(/^\/client\//, "");
  const plain = name.toLowerCase();
  if (plain === "read") {
    const content = files[path];
    return content === undefined ? { ok: false, output: "File not found" } : { ok: true, output: content };
  }
  if (plain === "write") {
    files[path] = String(args["contents"] ?? args["content"]);
    return { ok: true, output: "written" };
  }
  return { ok: true, output: `${name} done` };
}

function tool(name: string, properties: Record<string, JsonSchema>, required = Object.keys(properties)): OfferedTool {
  return { server: "client", name, description: "", inputSchema: { type: "object", properties, required } };
}

const text: JsonSchema = { type: "string" };

describe("the native tools", () => {
  it.each([
    ["Read hello.txt and tell me what it says", 'read {"path":"hello.txt"}'],
    ["List the files here", 'ls {"path":"."}'],
    ["What files are in src?", 'ls {"path":"src"}'],
    ["Search for TODO in src/a.ts", 'grep {"pattern":"TODO","path":"src/a.ts"}'],
    ["grep for `f(x)`", 'grep {"pattern":"f\\\\(x\\\\)","path":"."}'],
    ["Find all *.ts files", 'glob {"globPattern":"*.ts"}'],
    ["Run a command `echo hi`", 'shell {"command":"echo hi","description":"Run echo hi"}'],
    ["Create a file named out.txt with the content Hello World", 'write {"path":"out.txt","contents":"Hello World"}'],
    ['Write "hi there" to notes/a.md', 'write {"path":"notes/a.md","contents":"hi there"}'],
    ["Create src/x.ts with:\n```ts\nlet x = 1;\n```", 'write {"path":"src/x.ts","contents":"let x = 1;"}'],
    ["Replace foo with bar in a.txt", 'edit {"path":"a.txt","oldText":"foo","newText":"bar"}'],
    ['In a.txt, change "one two" to "three"', 'edit {"path":"a.txt","oldText":"one two","newText":"three"}'],
    ["Delete tmp.txt", 'delete {"path":"tmp.txt"}'],
    ["Fetch https://example.com and tell me its title", 'webFetch {"url":"https://example.com"}'],
    ["Search the web for carets", 'webSearch {"searchTerm":"carets"}'],
  ])("does what is asked: %s", (prompt, call) => {
    expect(turn(prompt, { files: { "hello.txt": "hi" } }).calls).toEqual([[call]]);
  });

  it("says what a file says", () => {
    const { text: answer } = turn("Read hello.txt and tell me what it says", { files: { "hello.txt": "Hello!\n" } });
    expect(answer).toBe("`hello.txt` says:\n\nHello!");
  });

  it("gives nothing but the content when nothing else is wanted", () => {
    const { text: answer, replies } = turn("Read hello.txt and reply with only its content", {
      files: { "hello.txt": "Hello!\n" },
    });
    expect([replies[0]?.text, answer]).toEqual([undefined, "Hello!"]);
  });

  it("counts the lines of a file", () => {
    expect(turn("How many lines does a.txt have?", { files: { "a.txt": "1\n2\n3\n" } }).text).toBe(
      "`a.txt` has 3 lines.",
    );
  });

  it("reads several files at once and keeps their answers apart", () => {
    const { calls, text: answer } = turn("Read a.txt and b.txt", { files: { "a.txt": "A", "b.txt": "B" } });
    expect([calls, answer]).toEqual([
      [['read {"path":"a.txt"}', 'read {"path":"b.txt"}']],
      "`a.txt` says:\n\nA\n\n`b.txt` says:\n\nB",
    ]);
  });

  it("does not take the manner of a request for a path", () => {
    const { calls } = turn("Read a.txt and list files, in parallel", { files: { "a.txt": "A" } });
    expect(calls).toEqual([['read {"path":"a.txt"}', 'ls {"path":"."}']]);
  });

  it("runs commands side by side only when the prompt says so", () => {
    const parallel = turn("Run `sleep 1` and run `sleep 2` in parallel").calls;
    const serial = turn("Run `make` and run `make test`").calls;
    expect([parallel.map((row) => row.length), serial.map((row) => row.length)]).toEqual([[2], [1, 1]]);
  });

  it("carries a result from one step into the next, with a list of todos", () => {
    const files: Files = { "notes.txt": "a\nb\nc\n" };
    const {
      calls,
      thinking,
      text: answer,
    } = turn("read notes.txt, then run `wc -l notes.txt`, then write the number into count.txt", {
      files,
      run: (call) => (call.name === "shell" ? { ok: true, output: "3 notes.txt\n" } : runCall(call, files)),
    });
    const names = calls.map((row) => row.map((call) => call.split(" ")[0]));
    expect([names, files["count.txt"]]).toEqual([
      [["updateTodos", "read"], ["shell"], ["write"], ["updateTodos"]],
      "3\n",
    ]);
    expect(thinking).toContain("I should read `notes.txt`, then run `wc -l notes.txt`, then write `count.txt`.");
    expect(answer).toBe(
      "`notes.txt` says:\n\na\nb\nc\n\n`wc -l notes.txt` printed:\n\n3 notes.txt\n\nI wrote `count.txt`.",
    );
  });

  it("appends by reading first, also to a file that is not there yet", () => {
    const files: Files = { "log.txt": "one" };
    turn("Append the line 'two' to log.txt", { files });
    turn("Append the line 'first' to new.txt", { files });
    expect(files).toEqual({ "log.txt": "one\ntwo\n", "new.txt": "first\n" });
  });

  it("copies a file and reads it back", () => {
    const files: Files = { "a.txt": "A\n" };
    expect(turn("Copy a.txt to b.txt, then read b.txt", { files }).text).toContain("`b.txt` says:\n\nA");
  });

  it("reports a failure and does not try again", () => {
    const { calls, text: answer } = turn("Read no.txt");
    expect([calls.length, answer]).toEqual([1, "I could not read `no.txt`: File not found"]);
  });

  it("makes a plan in plan mode and only looks there", () => {
    expect(turn("Add a login page", { mode: "plan" }).calls[0]?.[0]).toMatch(/^createPlan /);
    expect(turn("Read a.txt", { mode: "plan", files: { "a.txt": "x" } }).calls).toEqual([['read {"path":"a.txt"}']]);
  });

  it("asks, and stops when nobody answers", () => {
    const skipped = { ok: false, output: "Questions skipped by the user" };
    const { calls, text: answer } = turn("Ask me which file to edit: a.txt or b.txt", { run: () => skipped });
    expect({ isAskedFirst: calls[0]?.[0]?.startsWith("askQuestion "), answer }).toEqual({
      isAskedFirst: true,
      answer: "Nobody answered my question, so I stop here.",
    });
  });

  it("admits that it has no tool", () => {
    expect(turn("Run `ls`", { native: [] }).text).toBe("I could not run `ls`: I have no tool for that here");
  });
});

describe("the tools of clients", () => {
  const inClient: readonly ModelMessage[] = [
    { role: "system", text: "<env>\n  Working directory: /client\n</env>\nUse the tools of the MCP server." },
  ];
  const absolute: JsonSchema = { type: "string", description: "The absolute path to the file" };

  const openCode = [
    tool("bash", { command: text, description: text }),
    tool("read", { filePath: absolute, offset: { type: "number" } }, ["filePath"]),
    tool("edit", { filePath: absolute, oldString: text, newString: text, replaceAll: { type: "boolean" } }, [
      "filePath",
      "oldString",
      "newString",
    ]),
    tool("write", { content: text, filePath: absolute }),
    tool("glob", { pattern: text, path: text }, ["pattern"]),
    tool("grep", { pattern: text, path: text, include: text }, ["pattern"]),
    tool("list", { path: text, ignore: { type: "array", items: text } }, []),
    tool("todowrite", { todos: { type: "array", items: { type: "object" } } }),
  ];
  const claudeCode = [
    tool("Bash", { command: text, timeout: { type: "number" }, description: text }, ["command"]),
    tool("Read", { file_path: absolute, limit: { type: "integer" } }, ["file_path"]),
    tool("Edit", { file_path: absolute, old_string: text, new_string: text }),
    tool("Write", { file_path: absolute, content: text }),
    tool("Glob", { pattern: text, path: text }, ["pattern"]),
    tool("Grep", { pattern: text, path: text, output_mode: { type: "string", enum: ["content", "count"] } }, [
      "pattern",
    ]),
  ];
  const onlyWhenEscalated: JsonSchema = { type: "string", description: "A question to the user; omit otherwise." };
  const codex = [
    tool("exec_command", { cmd: text, justification: onlyWhenEscalated, yield_time_ms: { type: "number" } }, ["cmd"]),
    { ...tool("view_image", { path: text }), description: "View a local image file when one is to be looked at." },
    tool("apply_patch", { input: text }),
  ];
  const oldCodex = [tool("shell", { command: { type: "array", items: text }, workdir: text }, ["command"])];
  const pi = [
    tool("read", { path: text, offset: { type: "number" } }, ["path"]),
    tool("bash", { command: text, timeout: { type: "number" } }, ["command"]),
    tool("edit", {
      path: text,
      edits: {
        type: "array",
        items: { type: "object", properties: { oldText: text, newText: text }, required: ["oldText", "newText"] },
      },
    }),
    tool("write", { path: text, content: text }),
  ];
  const generic = [
    tool("fs_read_file", { target_file: text, explanation: text, should_read_entire_file: { type: "boolean" } }),
    tool("run_terminal_cmd", { command: text, is_background: { type: "boolean" } }),
  ];

  it.each([
    ["OpenCode", openCode, "Read a.txt", 'read {"filePath":"/client/a.txt"}'],
    ["OpenCode", openCode, "Run `ls`", 'bash {"command":"ls","description":"Run ls"}'],
    [
      "OpenCode",
      openCode,
      "Replace a with b in a.txt",
      'edit {"filePath":"/client/a.txt","oldString":"a","newString":"b"}',
    ],
    ["OpenCode", openCode, "Create a.txt with content hi", 'write {"content":"hi","filePath":"/client/a.txt"}'],
    ["OpenCode", openCode, "Find *.md files", 'glob {"pattern":"*.md"}'],
    ["OpenCode", openCode, "Search for foo", 'grep {"pattern":"foo","path":"."}'],
    ["OpenCode", openCode, "List the files", 'list {"path":"."}'],
    ["Claude Code", claudeCode, "Read a.txt", 'Read {"file_path":"/client/a.txt"}'],
    ["Claude Code", claudeCode, "Run `ls`", 'Bash {"command":"ls","description":"Run ls"}'],
    [
      "Claude Code",
      claudeCode,
      "Replace a with b in a.txt",
      'Edit {"file_path":"/client/a.txt","old_string":"a","new_string":"b"}',
    ],
    ["Claude Code", claudeCode, "List the files", 'Bash {"command":"ls .","description":"List ."}'],
    ["Claude Code", claudeCode, "Delete a.txt", 'Bash {"command":"rm -- a.txt","description":"Delete a.txt"}'],
    ["Codex", codex, "Read a.txt", 'exec_command {"cmd":"cat a.txt"}'],
    [
      "Codex",
      codex,
      "Create a.txt with content hi",
      'apply_patch {"input":"*** Begin Patch\\n*** Add File: a.txt\\n+hi\\n*** End Patch"}',
    ],
    ["Codex", codex, "Replace a/b with it's in a.txt", `exec_command {"cmd":"sed -i 's/a\\\\/b/it'\\\\''s/' a.txt"}`],
    ["older Codex", oldCodex, "Run `ls -l`", 'shell {"command":["bash","-lc","ls -l"]}'],
    [
      "older Codex",
      oldCodex,
      "Create a.txt with content hi",
      `shell {"command":["bash","-lc","printf '%s' hi > a.txt"]}`,
    ],
    ["Pi", pi, "Replace a with b in a.txt", 'edit {"path":"a.txt","edits":[{"oldText":"a","newText":"b"}]}'],
    ["Pi", pi, "Search for foo in src/x.ts", 'bash {"command":"grep -rn foo src/x.ts"}'],
    [
      "nobody in particular",
      generic,
      "Read a.txt",
      'fs_read_file {"target_file":"a.txt","explanation":"Read a.txt","should_read_entire_file":false}',
    ],
    ["nobody in particular", generic, "Run `ls`", 'run_terminal_cmd {"command":"ls","is_background":false}'],
  ])("uses those of %s: %s", (_client, offered, prompt, call) => {
    const { calls } = turn(prompt, { offered, earlier: inClient });
    expect(calls[0]).toEqual([`client/${call}`]);
  });

  it("uses them when its own are not there, whatever the rules say", () => {
    expect(turn("Read a.txt", { offered: openCode, native: [] }).calls[0]?.[0]).toMatch(/^client\/read /);
  });

  it("prefers its own tools unless the prompt says otherwise", () => {
    expect(turn("Read a.txt", { offered: openCode }).calls[0]).toEqual(['read {"path":"a.txt"}']);
  });

  it("turns to them once its own were refused, and remembers that", () => {
    const run = (call: ModelCall) =>
      call.server === undefined ? { ok: false, output: "Rejected by the user." } : { ok: true, output: "1: hi" };
    const first = turn("Read a.txt", { offered: openCode, run });
    const second = turn("Read b.txt", { offered: openCode, run, earlier: first.messages });
    expect([first.calls, first.text, second.calls]).toEqual([
      [['read {"path":"a.txt"}'], ['client/read {"filePath":"a.txt"}']],
      "`a.txt` says:\n\nhi",
      [['client/read {"filePath":"b.txt"}']],
    ]);
  });

  it("does not knock twice: after one refusal the later steps go to the offered tools at once", () => {
    const run = (call: ModelCall) => ({
      ok: call.server !== undefined,
      output: call.server === undefined ? "Rejected" : "hi",
    });
    const { calls } = turn("Read a.txt, then read b.txt", { offered: openCode, run });
    expect(calls).toEqual([
      ['read {"path":"a.txt"}'],
      ['client/read {"filePath":"a.txt"}'],
      ['client/read {"filePath":"b.txt"}'],
    ]);
  });

  it("calls a tool by its name with the arguments it is given", () => {
    const echo = tool("echo", { text });
    expect([
      turn('Call the tool echo with {"text":"HELLO"}', { offered: [echo] }).calls[0],
      turn("Call the echo tool with `HELLO`, then reply only DONE", { offered: [echo] }).text,
      turn('Use client-echo with {"text":"x"}', { offered: [echo] }).calls[0],
    ]).toEqual([['client/echo {"text":"HELLO"}'], "DONE", ['client/echo {"text":"x"}']]);
  });

  it("guesses when to use a tool that only its name explains", () => {
    const weather = tool("get_weather", { city: text, unit: { type: "string", enum: ["celsius", "fahrenheit"] } });
    const { calls, text: answer } = turn("What is the weather in Paris?", {
      offered: [weather],
      run: () => ({ ok: true, output: "sunny" }),
    });
    expect([calls, answer]).toEqual([
      [['client/get_weather {"city":"Paris","unit":"celsius"}']],
      "`get_weather` answered: sunny",
    ]);
  });

  it.each([
    ["Claude Code", "     1→one\n     2→  two\n"],
    ["OpenCode", "<file>\n00001| one\n00002|   two\n\n(End of file - total 2 lines)\n</file>"],
    ["newer OpenCode", "<path>/x</path>\n<type>file</type>\n<content>\n1: one\n2:   two\n</content>"],
    ["Codex", "Chunk ID: 1\nWall time: 0.1 seconds\nOutput:\none\n  two\n"],
    ["a reminding client", "one\n  two\n<system-reminder>be careful</system-reminder>"],
  ])("reads what %s gives without its decoration", (_client, output) => {
    const { text: answer } = turn("Read a.txt", { run: () => ({ ok: true, output }) });
    expect(answer).toBe("`a.txt` says:\n\none\n  two");
  });
});
