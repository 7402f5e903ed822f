import { describe, expect, it } from "vitest";
import { aliasNames, plainName } from "../../calls/tool-aliases.ts";
import { resolveTool } from "./resolve-tool.ts";

const offer = (...names: readonly string[]) => names.map((name) => ({ name, inputSchema: { type: "object" } }));
const found = (name: string, ...names: readonly string[]) => {
  const resolved = resolveTool(name, offer(...names));
  return resolved.kind === "found" ? resolved.tool.name : undefined;
};

describe("the table of tool names", () => {
  it("has every name in one group only", () => {
    const names = aliasNames.map(([, name]) => plainName(name));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it.each(aliasNames)("finds the one offered tool of the group %s by %s", (group, name) => {
    const [other] = aliasNames.filter(([its, alias]) => its === group && alias !== name);
    expect(found(name, "unrelated", other?.[1] ?? "")).toBe(other?.[1]);
  });
});

describe("resolveTool", () => {
  it.each([
    ["bash", "bash"],
    ["shell", "bash"],
    ["runCommand", "Bash"],
    ["run_terminal_cmd", "exec"],
    ["bash", "run_in_terminal"],
    ["delegateTask", "task"],
    ["skillMcp", "skill_mcp"],
    ["updateTodos", "todowrite"],
    ["read_file", "Read"],
    ["write_file", "write"],
    ["str_replace", "edit"],
    ["search_replace", "Edit"],
    ["list_dir", "list"],
    ["codebase_search", "semantic-search"],
    ["mcp_web_fetch", "web_fetch"],
    ["readToolCall", "read_file"],
    ["MY-own_Tool", "myOwnTool"],
  ])("takes %s for the offered %s", (name, tool) => {
    expect(found(name, "unrelated", tool)).toBe(tool);
  });

  it("prefers the very name to another spelling, and another spelling to an alias", () => {
    expect([found("Read", "read", "Read"), found("READ", "read_file", "read")]).toEqual(["Read", "read"]);
  });

  it.each([
    ["shell", ["bash", "exec"], "`shell` could mean `bash` or `exec`. Call one of them by its own name."],
    ["READ", ["Read", "read"], "`READ` could mean `Read` or `read`. Call one of them by its own name."],
    ["read", ["read", "read"], "`read` could mean `read` or `read`. Call one of them by its own name."],
  ])("does not guess what %s means among %j", (name, tools, reason) => {
    expect(resolveTool(name, offer(...tools))).toEqual({ kind: "missing", reason });
  });

  it.each([
    ["gerp", ["grep", "bash"], "There is no tool named `gerp`. Did you mean `grep`? The tools are grep, bash."],
    ["launch_rocket", ["read"], "There is no tool named `launch_rocket`. The tools are read."],
    ["shell", [], "There is no tool named `shell`. No tools are offered."],
    ["apply_patch", ["edit"], "There is no tool named `apply_patch`. The tools are edit."],
  ])("refuses %s among %j, and names the nearest", (name, tools, reason) => {
    expect(resolveTool(name, offer(...tools))).toEqual({ kind: "missing", reason });
  });

  it("says when the name was another", () => {
    const tools = offer("bash");
    expect([resolveTool("shell", tools), resolveTool("bash", tools)]).toEqual([
      { kind: "found", tool: tools[0], repairs: ["`shell` was taken for `bash`"] },
      { kind: "found", tool: tools[0], repairs: [] },
    ]);
  });
});
