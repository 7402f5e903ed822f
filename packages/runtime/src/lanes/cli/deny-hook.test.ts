import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { barSize } from "../../testing/bar-size.ts";
import { denyHookScript } from "./deny-hook.ts";

let directory: string;
let script: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "hook-"));
  script = join(directory, "deny.sh");
  writeFileSync(script, denyHookScript(["read", "fs.write-2", "it's $(odd)"], "Use the other tools, it's better."));
});
afterAll(() => rmSync(directory, { recursive: true }));

function answerTo(event: string): { code: number | null; permission: string; words: string } {
  const { status, stdout, stderr } = spawnSync("/bin/sh", [script], { input: event, encoding: "utf8" });
  const { permission } = JSON.parse(stdout) as { permission: string };
  return { code: status, permission, words: stderr.trim() };
}

const allowed = { code: 0, permission: "allow", words: "" };
const denied = { code: 2, permission: "deny", words: "Use the other tools, it's better." };

describe("the hook of an agent with offered tools", () => {
  it.each<[string, string]>([
    ["as Cursor sends it", '{"conversation_id":"c","tool_name":"MCP:read","tool_input":{"path":"a"},"cwd":"/w"}'],
    ["with a name that has dots and dashes", '{"tool_name":"MCP:fs.write-2"}'],
    [
      "spread over lines",
      '{\n  "model" : "auto",\n  "tool_name" : "MCP:read" ,\n  "list": [1, -2.5e3, true, null, []]\n}\n',
    ],
    ["with quotes and braces in its input", '{"tool_input":{"a":"\\"}{[\\\\","b":["]",{}]},"tool_name":"MCP:read"}'],
    ["with another name in its input", '{"tool_name":"MCP:read","tool_input":{"tool_name":"Shell"}}'],
    ["with letters of all kinds", '{"user_email":"größe@例え.jp","tool_name":"MCP:read"}'],
  ])("lets an offered tool pass: %s", (_how, event) => {
    expect(answerTo(event)).toEqual(allowed);
  });

  it.each<[string, string]>([
    [
      "another tool whose argument has the name of an offered one",
      '{"tool_name":"MCP:deploy","tool_input":{"tool_name":"MCP:read"}}',
    ],
    ["the same the other way round", '{"tool_input":{"tool_name":"MCP:read"},"tool_name":"MCP:deploy"}'],
    [
      "the text of a name in a string",
      '{"tool_name":"Shell","tool_input":{"command":"echo \\"tool_name\\":\\"MCP:read\\""}}',
    ],
    ["the text of a name without escapes", '{"tool_name":"Shell","note":"x","more":["tool_name","MCP:read"]}'],
    ["a tool of the agent", '{"tool_name":"Shell","tool_input":{"command":"ls"}}'],
    ["a name that only begins alike", '{"tool_name":"MCP:reading"}'],
    ["a name that only ends alike", '{"tool_name":"xMCP:read"}'],
    ["a name with a newline", '{"tool_name":"MCP:read\\n"}'],
    ["a name with escapes", '{"tool_name":"MCP:\\u0072ead"}'],
    ["two names, the second another", '{"tool_name":"MCP:read","tool_name":"Shell"}'],
    ["two names, one of them escaped", '{"tool_name":"MCP:read","tool\\u005fname":"Shell"}'],
    ["a name in a list", '[{"tool_name":"MCP:read"}]'],
    ["a name in an object", '{"event":{"tool_name":"MCP:read"}}'],
    ["a name that is a list", '{"tool_name":["MCP:read"]}'],
    ["a name that is an object", '{"tool_name":{"tool_name":"MCP:read"}}'],
    ["a name that is no text", '{"tool_name":null,"x":"MCP:read"}'],
    ["two objects", '{"tool_name":"MCP:read"}{"tool_name":"Shell"}'],
    ["something before it", 'x{"tool_name":"MCP:read"}'],
    ["an event without a tool", '{"command":"ls"}'],
    ["an event that is cut", '{"tool_name":"MCP:read","tool_input":{"a":"b'],
    ["an event that is not closed", '{"tool_name":"MCP:read"'],
    ["closed by the wrong bracket", '{"tool_name":"MCP:read"]'],
    ["a name without a colon", '{"tool_name" "MCP:read"}'],
    ["a comma too many", '{"tool_name":"MCP:read",}'],
    ["nothing", ""],
    ["a text", '"MCP:read"'],
    ["a tool whose name a shell would read otherwise", '{"tool_name":"MCP:it\'s $(odd)"}'],
    ["a star", '{"tool_name":"MCP:*"}'],
  ])("refuses %s", (_what, event) => {
    expect(answerTo(event)).toEqual(denied);
  });

  it("reads a large event in a moment", () => {
    const input = {
      text: 'a "quoted" \\ line\n'.repeat(200_000),
      list: Array.from({ length: 50_000 }, (_, id) => ({ id })),
    };
    const started = performance.now();
    expect(answerTo(JSON.stringify({ tool_input: input, tool_name: "MCP:read" }))).toEqual(allowed);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it("reads the name of any event whatsoever as JSON does", () => {
    const name = fc.constantFrom("MCP:read", "MCP:deploy", "Shell", "tool_name");
    const event = fc.record({ tool_name: name, tool_input: fc.jsonValue(), extra: fc.jsonValue() });
    fc.assert(
      fc.property(event, fc.boolean(), fc.boolean(), (value, isWide, isFirst) => {
        const { tool_name, ...rest } = value;
        const ordered = isFirst ? { tool_name, ...rest } : { ...rest, tool_name };
        const text = JSON.stringify(ordered, null, isWide ? 1 : 0);
        expect({ text, answer: answerTo(text) }).toEqual({ text, answer: tool_name === "MCP:read" ? allowed : denied });
      }),
      { numRuns: barSize({ quick: 40, full: 150 }) },
    );
  });
});
