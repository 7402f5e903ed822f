import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createInputValidators } from "../input-validator.ts";
import type { InputSchema } from "../tool.ts";
import { repairInput } from "./repair-input.ts";

const text = { type: "string" };
const closed = (properties: object, required: readonly string[]): InputSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const open = (properties: object, required: readonly string[]): InputSchema => ({
  type: "object",
  properties,
  required,
});
const validatorOf = createInputValidators();
const repair = (input: unknown, schema: InputSchema) => repairInput(input, schema, validatorOf(schema));

const shell = closed({ command: text, timeout: { type: "integer" }, background: { type: "boolean" } }, ["command"]);
const edit = closed({ filePath: text, oldString: text, newString: text }, ["filePath", "oldString", "newString"]);
const todos = closed(
  { todos: { type: "array", items: { type: "object", properties: { done: { type: "boolean" } } } } },
  ["todos"],
);

const anything: InputSchema = { type: "object" };

describe("arguments that the schema accepts", () => {
  it.each([
    ["an unknown argument where any is let in", { command: "ls", cmd: "rm" }, open({ command: text }, ["command"])],
    ["an optional argument by another name", { path: "a" }, open({ file_path: text }, [])],
    ["a number as a text where both may stand", { n: "5" }, closed({ n: { type: ["string", "integer"] } }, ["n"])],
    ["what could be a wrapper where any argument is let in", { args: { a: 1 } }, open({}, [])],
    ["a wrapper that is an argument", { input: { a: 1 } }, closed({ input: { type: "object" } }, ["input"])],
  ])("are forwarded untouched: %s", (_what, input, schema) => {
    expect(repair(input, schema)).toEqual({ kind: "valid", input, repairs: [] });
  });

  it("are forwarded untouched, whatever they are", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        expect(repair(input, anything)).toEqual({ kind: "valid", input, repairs: [] });
      }),
    );
  });
});

describe("arguments of which the schema leaves one reading", () => {
  it.each<[string, unknown, InputSchema, unknown, readonly string[]]>([
    ["cmd", { cmd: "ls" }, shell, { command: "ls" }, ["renamed `cmd` to `command`"]],
    [
      "path and old_str",
      { path: "a", old_str: "x", new_string: "y" },
      edit,
      { filePath: "a", oldString: "x", newString: "y" },
      ["renamed `path` to `filePath`", "renamed `old_str` to `oldString`", "renamed `new_string` to `newString`"],
    ],
    [
      "a required argument of an open schema",
      { contents: "x", path: "a" },
      open({ path: text, content: text }, ["path", "content"]),
      { content: "x", path: "a" },
      ["renamed `contents` to `content`"],
    ],
    ["an input wrapper", { input: { command: "ls" } }, shell, { command: "ls" }, ["took the arguments out of `input`"]],
    [
      "a wrapper that holds JSON",
      { arguments: '{"cmd":"ls"}' },
      shell,
      { command: "ls" },
      ["took the arguments out of `arguments`", "renamed `cmd` to `command`"],
    ],
    [
      "only what is wrong, not an optional argument of an open schema",
      { path: "a", n: "5" },
      open({ file_path: text, n: { type: "integer" } }, ["n"]),
      { path: "a", n: 5 },
      ["read `n` from a string as a value of type number"],
    ],
    ["JSON in a string", '{"command":"ls"}', shell, { command: "ls" }, ["read the arguments from a string"]],
    ["nothing where nothing is needed", undefined, closed({}, []), {}, ["missing arguments were taken for none"]],
    [
      "numbers and truth values as texts",
      { command: "ls", timeout: "500", background: "false" },
      shell,
      { command: "ls", timeout: 500, background: false },
      [
        "read `timeout` from a string as a value of type number",
        "read `background` from a string as a value of type boolean",
      ],
    ],
    [
      "a list as JSON with texts inside",
      { todos: '[{"done":"true"}]' },
      todos,
      { todos: [{ done: true }] },
      ["read `todos` from a string as an array", "read `todos.0.done` from a string as a value of type boolean"],
    ],
    [
      "bookkeeping, empty values and doubles",
      { command: "ls", cmd: "ls", toolCallId: "t", description: "list", cwd: "", isBackground: false },
      shell,
      { command: "ls" },
      ["cmd", "toolCallId", "description", "cwd", "isBackground"].map(
        (key) => `left out \`${key}\`, which the tool does not take`,
      ),
    ],
  ])("are repaired: %s", (_what, input, schema, repaired, repairs) => {
    expect(repair(input, schema)).toEqual({ kind: "valid", input: repaired, repairs });
  });

  it("are repaired on a copy", () => {
    const input = Object.freeze({ args: Object.freeze({ cmd: "ls", timeout: "5" }) });
    expect(repair(input, shell)).toMatchObject({ kind: "valid", input: { command: "ls", timeout: 5 } });
  });
});

describe("arguments that could mean two things", () => {
  it.each<[string, unknown, InputSchema]>([
    ["two values for one property", { path: "a", file_path: "b" }, closed({ path: text }, ["path"])],
    ["two names for one missing property", { file: "a", filename: "b" }, closed({ path: text }, ["path"])],
    ["one name for two missing properties", { path: "a" }, closed({ file: text, directory: text }, ["file"])],
    ["seconds or milliseconds", { command: "ls", timeoutSeconds: 5 }, shell],
    ["a flag that would change what happens", { command: "ls", dry_run: true }, shell],
    [
      "a mode that would change what happens",
      { path: "a", content: "b", mode: "append" },
      closed({ path: text, content: text }, ["path"]),
    ],
    ["a missing argument", { filePath: "a", newString: "y" }, edit],
    ["digits that no number holds", { command: "ls", timeout: "12345678901234567890" }, shell],
    ["a number in another form", { command: "ls", timeout: "0x10" }, shell],
    ["a number with blanks", { command: "ls", timeout: " 5" }, shell],
    ["a list where an object is needed", { a: "[1]" }, closed({ a: { type: "object" } }, ["a"])],
    ["words for yes", { command: "ls", background: "yes" }, shell],
    ["two wrappers", { input: { command: "ls" }, args: { command: "rm" } }, shell],
    ["broken JSON", '{"command":', shell],
    ["a list of arguments", ["ls"], shell],
  ])("are refused: %s", (_what, input, schema) => {
    expect(repair(input, schema).kind).toBe("invalid");
  });
});

it("never forwards what the schema does not accept, nor a value that was not in the arguments", () => {
  const key = fc.constantFrom("command", "cmd", "timeout", "background", "input", "args", "append", "__proto__");
  const value = fc.oneof(fc.constantFrom("ls", "5", "true", "{}"), fc.integer(), fc.boolean(), fc.constant(null));
  const input = fc.array(fc.tuple(key, fc.oneof(value, fc.array(fc.tuple(key, value)).map(Object.fromEntries))));
  fc.assert(
    fc.property(input.map(Object.fromEntries), (sent) => {
      const repaired = repair(sent, shell);
      if (repaired.kind === "invalid") return;
      expect(validatorOf(shell)(repaired.input)).toEqual([]);
      const said = JSON.stringify(sent);
      for (const field of Object.values(repaired.input as object)) expect(said).toContain(String(field));
    }),
  );
});
