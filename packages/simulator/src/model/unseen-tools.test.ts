import { describe, expect, it } from "vitest";
import type { JsonSchema, ModelCall, ModelMessage, ModelReply, OfferedTool } from "./model.ts";
import { createRuleModel } from "./rule-model.ts";

const model = createRuleModel({ seed: 1 });
const text: JsonSchema = { type: "string" };
const inClient: ModelMessage = {
  role: "system",
  text: "Use only the tools of the MCP server `client`.\nWorking directory: /client",
};

function tool(name: string, properties: Record<string, JsonSchema>, description = ""): OfferedTool {
  const required = Object.keys(properties);
  return { server: "client", name, description, inputSchema: { type: "object", properties, required } };
}

function reply(messages: readonly ModelMessage[], offeredTools: readonly OfferedTool[]): ModelReply {
  return model({ messages, offeredTools, nativeTools: ["updateTodos"], mode: "agent", workspace: "/scratch" });
}

/** The calls that a prompt leads to first. */
function callsFor(prompt: string, tools: readonly OfferedTool[]): readonly (readonly [string, unknown])[] {
  return reply([inClient, { role: "user", text: prompt }], tools).calls.map(({ name, args }) => [name, args]);
}

/** What it says when each call gives this. */
function answerTo(prompt: string, tools: readonly OfferedTool[], ...outputs: readonly string[]): string {
  const messages: ModelMessage[] = [inClient, { role: "user", text: prompt }];
  const left = [...outputs];
  for (;;) {
    const { text: said = "", calls } = reply(messages, tools);
    if (calls.length === 0) return said;
    messages.push({ role: "assistant", text: said, calls });
    for (const call of calls) messages.push({ role: "tool", call, ok: true, output: left.shift() ?? "" });
  }
}

const strange = [
  tool("fs_slurp", { target_path: text }),
  tool("do_shell", { cmdline: text }),
  tool("persist", { dest: text, body: text }),
  tool("lookup", { needle: text, haystack_dir: text }),
  tool("swap_words", { where: { ...text, description: "The file" }, before: text, after: text }),
  tool("enumerate_folder", { folder: text }),
  tool("unlink_item", { file: text }),
  tool("get_weather", { location: text }, "Gets the weather of a place."),
];

describe("Build 5: tools whose names nobody has seen", () => {
  it.each<[string, readonly (readonly [string, unknown])[]]>([
    ["Read a.txt", [["fs_slurp", { target_path: "a.txt" }]]],
    [
      "Read a.txt and b.txt",
      [
        ["fs_slurp", { target_path: "a.txt" }],
        ["fs_slurp", { target_path: "b.txt" }],
      ],
    ],
    ["Run `ls -l`", [["do_shell", { cmdline: "ls -l" }]]],
    ["Create a.txt with the content hi", [["persist", { dest: "a.txt", body: "hi" }]]],
    ["Search for foo in src/x.ts", [["lookup", { needle: "foo", haystack_dir: "src/x.ts" }]]],
    ["Replace a with b in c.txt", [["swap_words", { where: "c.txt", before: "a", after: "b" }]]],
    ["List the files in src", [["enumerate_folder", { folder: "src" }]]],
    ["Delete a.txt", [["unlink_item", { file: "a.txt" }]]],
  ])("%s", (prompt, calls) => {
    expect(callsFor(prompt, strange)).toEqual(calls);
  });

  it.each<[string, OfferedTool, unknown]>([
    ["a vague name explained by the tool's name", tool("grab_blob", { uri: text }), { uri: "a.txt" }],
    [
      "a vague name explained by the description",
      tool("tool_7", { x: text }, "Returns the text of a file."),
      { x: "a.txt" },
    ],
    [
      "an absolute path, which only the tool's description demands",
      tool("peek", { path: text }, "Show a file's contents. Paths must be absolute."),
      { path: "/client/a.txt" },
    ],
    [
      "a file URI",
      tool("peek", { uri: { ...text, description: "Where it is, e.g. file:///home/me/a.txt" } }, "Reads a file."),
      { uri: "file:///client/a.txt" },
    ],
    [
      "a relative path, whatever the name of the argument suggests",
      tool("peek", { file_path: { ...text, description: "Relative to the project" } }, "Reads a file."),
      { file_path: "a.txt" },
    ],
    [
      "a list of objects",
      tool(
        "multi_fetch",
        {
          files: {
            type: "array",
            items: {
              type: "object",
              properties: { path: text, start: { type: ["integer", "null"] } },
              required: ["path", "start"],
            },
          },
        },
        "Read the contents of one or more files.",
      ),
      { files: [{ path: "a.txt", start: null }] },
    ],
    [
      "an object in an object",
      tool("fs.get", {
        request: {
          type: "object",
          properties: { target: { type: "object", properties: { file: text }, required: ["file"] } },
          required: ["target"],
        },
      }),
      { request: { target: { file: "a.txt" } } },
    ],
    [
      "a reference to another schema",
      {
        ...tool("view_doc", {}),
        inputSchema: {
          properties: { doc: { $ref: "#/$defs/Doc" } },
          required: ["doc"],
          $defs: { Doc: { type: "object", properties: { path: text }, required: ["path"] } },
        },
      },
      { doc: { path: "a.txt" } },
    ],
    [
      "limits and offsets that leave nothing out",
      tool("load_text", { file: text, offset: { type: "integer" }, limit: { type: "integer", maximum: 500 } }),
      { file: "a.txt", offset: 1, limit: 500 },
    ],
    [
      "one purpose of several",
      tool(
        "file_tool",
        { action: { type: "string", enum: ["create", "view", "erase"] }, path: text },
        "Manages files.",
      ),
      { action: "view", path: "a.txt" },
    ],
  ])("reads by %s", (_, offered, args) => {
    expect(callsFor("Read a.txt", [offered])).toEqual([[offered.name, args]]);
  });

  it.each([
    ["gives the weather", tool("get_weather", { location: text }, "Gets the weather of a place.")],
    ["looks at a picture", tool("view_image", { path: text }, "View a local image file.")],
    ["deletes", tool("zap", { path: text }, "Deletes a file.")],
    ["checks a file", tool("lint_file", { path: text }, "Lints a file.")],
    ["moves a file", tool("get_over", { old_path: text, new_path: text }, "Get a file to another place.")],
    ["reads the web", tool("fetch_page", { url: text }, "Fetches a web page.")],
  ])("does not read a file by a tool that %s", (_, offered) => {
    expect([callsFor("Read a.txt", [offered]), answerTo("Read a.txt", [offered])]).toEqual([
      [],
      "I could not read `a.txt`: I have no tool for that here",
    ]);
  });

  it("does the whole task with them, and claims no failure that it did not have", () => {
    const task = "Read a.txt and b.txt, then run `wc -l a.txt`, then create c.txt with the content full";
    expect(answerTo(task, strange, "Error handling is hard\n", "0 failed, 3 passed", "3 a.txt\n", "ok")).toBe(
      "`a.txt` says:\n\nError handling is hard\n\n`b.txt` says:\n\n0 failed, 3 passed\n\n`wc -l a.txt` printed:\n\n3 a.txt\n\nI wrote `c.txt`.",
    );
  });

  it("clients D11: keeps no list of its own where a client runs the tools", () => {
    const task = "Read a.txt, then run `ls`, then create c.txt with the content full";
    expect(callsFor(task, strange).map(([name]) => name)).toEqual(["fs_slurp"]);
  });
});

describe("tools that a client offers on demand", () => {
  it("calls a tool that is hidden behind another one by its name and arguments", () => {
    const wrapper = tool("tool_call", { name: text, arguments: { type: "object" } }, "Calls a tool of an MCP server.");
    expect(callsFor('Call the tool open_ticket with {"subject":"x"}', [wrapper])).toEqual([
      ["tool_call", { name: "open_ticket", arguments: { subject: "x" } }],
    ]);
  });

  const search = tool(
    "ToolSearch",
    { query: text },
    'Fetches full schema definitions for deferred tools so they can be called. Use "select:<name>" for a known name.',
  );
  const finder = tool("find_more", { q: text }, "Searches for additional tools by keyword.");
  const ticket = tool("open_ticket", { subject: text });

  it.each([
    [search, "select:open_ticket"],
    [finder, "open_ticket"],
  ])("looks for a tool that is missing, once, and then uses it", (offered, wanted) => {
    const ask: ModelMessage[] = [inClient, { role: "user", text: 'Call the tool open_ticket with {"subject":"x"}' }];
    const first = reply(ask, [offered]);
    const after: ModelMessage[] = [
      ...ask,
      { role: "assistant", text: "", calls: first.calls },
      { role: "tool", call: first.calls[0] as ModelCall, ok: true, output: "found" },
    ];
    expect([
      first.calls.map(({ args }) => Object.values(args)),
      reply(after, [offered, ticket]).calls.map(({ name, args }) => [name, args]),
      reply(after, [offered]),
    ]).toMatchObject([
      [[wanted]],
      [["open_ticket", { subject: "x" }]],
      { calls: [], text: "I could not call `open_ticket`: I have no tool for that here" },
    ]);
  });
});

describe("clients M1: the working directory", () => {
  const read = [tool("read_file", { absolute_path: text })];
  it.each([
    "<env>\nWorking directory: /client\n</env>",
    "I'm currently working in the directory: /client\nHere is the folder structure",
    "<system-reminder>\n% pwd\n/client\n% ls\na.txt\n</system-reminder>",
    "<environment_context>\n  <cwd>/client</cwd>\n</environment_context>",
    "Current working directory is `/client`.",
    "Workspace root: /client",
  ])("is found in a message in the user's name: %s", (context) => {
    const messages: ModelMessage[] = [
      { role: "system", text: "Use the MCP server client." },
      { role: "user", text: context },
      { role: "user", text: "Read a.txt" },
    ];
    const both = [
      { role: "system", text: "Use the MCP server client." } as const,
      { role: "user", text: `${context}\n\nRead a.txt` } as const,
    ];
    expect([messages, both].map((asked) => reply(asked, read).calls[0]?.args)).toEqual([
      { absolute_path: "/client/a.txt" },
      { absolute_path: "/client/a.txt" },
    ]);
  });
});
