import { describe, expect, it } from "vitest";
import { createCallRepair } from "./repair-call.ts";
import type { OfferedTool } from "./resolve-tool.ts";

const text = { type: "string" };
const tool = (name: string, properties: object, required = Object.keys(properties)): OfferedTool => ({
  name,
  inputSchema: { type: "object", properties, required, additionalProperties: false },
});
const bash = tool("bash", { command: text, description: text });
const write = tool("Write", { file_path: text, content: text });
const edit = tool("Edit", { file_path: text, old_string: text, new_string: text });
const repairOf = (tools: readonly OfferedTool[], options: { version?: "v1" | "legacy"; autoFallback?: boolean } = {}) =>
  createCallRepair({ version: "v1", autoFallback: false, tools, ...options });

describe("the repair of a call", () => {
  it("forwards a call by the offered name, with arguments that fit, and says what it changed", () => {
    const call = { name: "run_terminal_cmd", input: { cmd: "ls", description: "list" } };
    expect(repairOf([bash, write]).admit(call)).toEqual({
      kind: "forward",
      name: "bash",
      input: { command: "ls", description: "list" },
      repairs: ["`run_terminal_cmd` was taken for `bash`", "renamed `cmd` to `command`"],
    });
  });

  it("refuses a name that nobody offers", () => {
    expect(repairOf([bash]).admit({ name: "bush", input: {} })).toEqual({
      kind: "refuse",
      name: "bush",
      reason: "There is no tool named `bush`. Did you mean `bash`? The tools are bash.",
      class: "not_found",
    });
  });

  it("refuses arguments that do not fit, with what is left to correct after the repairs", () => {
    expect(repairOf([bash]).admit({ name: "shell", input: { cmd: "ls" } })).toEqual({
      kind: "refuse",
      name: "bash",
      reason: "Invalid arguments for bash: input.description is missing",
      class: "validation",
    });
  });

  it("refuses the calls of a tool whose own schema cannot be used", () => {
    const broken = { name: "odd", inputSchema: { type: "no-such-type" } };
    expect(repairOf([broken]).admit({ name: "odd", input: {} })).toEqual({
      kind: "refuse",
      name: "odd",
      reason: "Invalid arguments for odd: The tool's own input schema cannot be used",
      class: "validation",
    });
  });

  it("passes everything on as it came when it is the legacy one", () => {
    const call = { name: "who_knows", input: { cmd: ["ls"] } };
    expect(repairOf([bash], { version: "legacy" }).admit(call)).toEqual({ kind: "forward", ...call, repairs: [] });
  });
});

describe("an edit that was a write all along", () => {
  const whole = { path: "a.txt", contents: "all of it\n" };
  const rerouted = {
    kind: "forward",
    name: "Write",
    input: { file_path: "a.txt", content: "all of it\n" },
    repairs: ["an edit with the whole new content was taken for `Write`", "renamed `path` to `file_path`"],
  };

  it.each([
    ["without an old text", "edit", whole],
    ["with an empty old text", "str_replace", { ...whole, old_string: "", explanation: "new file" }],
  ])("is forwarded as a write %s", (_what, name, input) => {
    expect([repairOf([edit, write]), repairOf([write])].map((each) => each.admit({ name, input }))).toEqual([
      rerouted,
      rerouted,
    ]);
  });

  it.each<[string, OfferedTool[], object]>([
    ["it has an old text", [edit, write], { ...whole, old_string: "x" }],
    ["it has a new text beside the content", [edit, write], { ...whole, new_string: "piece" }],
    ["it has only a new text", [edit, write], { path: "a.txt", new_string: "all of it" }],
    ["it says where to insert", [edit, write], { ...whole, insert_line: 5 }],
    ["it names two contents", [edit, write], { ...whole, file_text: "other" }],
    ["it names two files", [edit, write], { ...whole, file_path: "b.txt" }],
    ["its content leaves something out", [edit, write], { path: "a", content: "x\n// ... existing code ...\n" }],
    ["its content leaves the rest out", [edit, write], { path: "a", content: "x\n# … rest of the file\n" }],
    ["it names no file", [edit, write], { content: "x" }],
    ["no tool that writes is offered", [edit], whole],
    ["two tools that write are offered", [edit, write, tool("create_file", { path: text, content: text })], whole],
    ["the tool that writes needs more", [edit, tool("Write", { path: text, content: text, mode: text })], whole],
  ])("stays an edit, and is refused, when %s", (_what, tools, input) => {
    expect(repairOf(tools).admit({ name: "edit", input }).kind).toBe("refuse");
  });

  it("stays an edit when the offered edit takes it", () => {
    const contentEdit = tool("edit", { path: text, contents: text });
    expect(repairOf([contentEdit, write]).admit({ name: "edit", input: whole })).toEqual({
      kind: "forward",
      name: "edit",
      input: whole,
      repairs: [],
    });
  });

  it("is not looked for behind other tools", () => {
    expect(repairOf([write]).admit({ name: "apply_patch", input: whole }).kind).toBe("refuse");
  });
});

describe("the fallback", () => {
  const invalid = (command: string) => ({ name: "shell", input: { cmd: command } });

  it("lets a tool's calls through as they come at the third refusal for the same reason, and reports it", () => {
    const { admit } = repairOf([bash, write], { autoFallback: true });
    const [first, second, third, fourth] = ["a", "b", "c", "d"].map((command) => admit(invalid(command)));
    expect([first?.kind, second?.kind]).toEqual(["refuse", "refuse"]);
    expect(third).toEqual({
      kind: "forward",
      name: "bash",
      input: { cmd: "c" },
      repairs: ["`shell` was taken for `bash`"],
      notice: {
        type: "notice",
        kind: "drift",
        message: "Calls of bash were refused 2 times for the same reason: they are now passed on unchanged",
        detail: { tool: "bash", complaints: ["input.description is missing"] },
      },
    });
    expect(fourth).toEqual({
      kind: "forward",
      name: "bash",
      input: { cmd: "d" },
      repairs: ["`shell` was taken for `bash`"],
    });
  });

  it("is for that tool only: others are still held to their schemas, and unknown names refused", () => {
    const { admit } = repairOf([bash, write], { autoFallback: true });
    for (const command of ["a", "b", "c"]) admit(invalid(command));
    expect([admit({ name: "write", input: {} }).kind, admit({ name: "nothing", input: {} }).kind]).toEqual([
      "refuse",
      "refuse",
    ]);
  });

  it.each<[string, boolean, readonly object[]]>([
    ["it is not wanted", false, [{ cmd: "a" }, { cmd: "b" }, { cmd: "c" }, { cmd: "d" }]],
    ["the complaints differ", true, [{ cmd: "a" }, { description: "b" }, {}, { description: 5 }]],
    [
      "a call was accepted in between",
      true,
      [{ cmd: "a" }, { cmd: "b" }, { cmd: "c", description: "x" }, { cmd: "d" }],
    ],
  ])("does not happen when %s", (_what, autoFallback, inputs) => {
    const { admit } = repairOf([bash], { autoFallback });
    const last = inputs.map((input) => admit({ name: "bash", input })).at(-1);
    expect(last?.kind).toBe("refuse");
  });
});
