import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Json, SimulatorSandbox } from "../cli/testing/simulator-sandbox.ts";

let sandbox: SimulatorSandbox;
beforeEach(() => {
  sandbox = new SimulatorSandbox();
});
afterEach(() => sandbox.remove());

const env = { CARET_SIM_DIALECT: "payload" };

/** Ids differ from turn to turn; the tests care that both ends of a call have the same one. */
function withoutIds(events: readonly Json[]): unknown {
  const text = JSON.stringify(events);
  const ids = [...new Set(text.match(/call-[0-9a-f-]+\\nfc_[0-9a-f-]+_\d+/g) ?? [])];
  return JSON.parse(ids.reduce((result, id, index) => result.replaceAll(id, `call-${index}`), text));
}

describe("the payload dialect", () => {
  it("wraps a whole turn", async () => {
    const scenario = {
      turns: [
        [
          { thinking: "Hm." },
          { text: "Running." },
          { tool: { name: "write", args: { path: "a.txt", contents: "hi\n" } } },
          { tool: { name: "shell", args: { command: "cat a.txt" } } },
          { text: "Done." },
        ],
      ],
    };
    const events = await sandbox.turn("go", ["--force"], { env, scenario });
    const says = (text: string) => ({ type: "assistant", payload: { message: { content: [{ type: "text", text }] } } });
    expect(withoutIds(events.slice(1))).toEqual([
      { type: "user", payload: { prompt: "go" } },
      { type: "thinking", subtype: "delta", payload: { content: "Hm." } },
      { type: "thinking", subtype: "completed", payload: {} },
      says("Running."),
      {
        type: "tool_call",
        subtype: "started",
        payload: {
          toolCall: { id: "call-0", writeFileToolCall: { path: `${sandbox.workspace}/a.txt`, contents: "hi\n" } },
        },
      },
      { type: "tool_call", subtype: "completed", payload: { toolCall: { id: "call-0", result: { success: true } } } },
      {
        type: "tool_call",
        subtype: "started",
        payload: {
          toolCall: {
            id: "call-1",
            shellToolCall: { name: "shell", args: expect.objectContaining({ command: "cat a.txt" }) },
          },
        },
      },
      {
        type: "tool_call",
        subtype: "completed",
        payload: { toolCall: { id: "call-1", result: { exitCode: 0, stdout: "hi\n", stderr: "" } } },
      },
      says("Done."),
      {
        type: "result",
        subtype: "success",
        exitCode: 0,
        payload: { exitCode: 0, is_error: false, result: "Running.Done." },
      },
    ]);
  });

  it("reports failures by an exit code in the result and a reason in the call", async () => {
    const scenario = {
      turns: [[{ tool: { name: "read", args: { path: "none" } } }, { result: { isError: true, text: "no" } }]],
    };
    const events = await sandbox.turn("go", [], { env, scenario });
    expect(events.slice(-2)).toMatchObject([
      { payload: { toolCall: { result: { success: false, error: "File not found" } } } },
      { type: "result", subtype: "error", exitCode: 1, payload: { exitCode: 1, is_error: true, result: "no" } },
    ]);
  });
});
