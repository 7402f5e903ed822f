import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { CaretError } from "@caret/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { createOutputStore, createReadOutputTool } from "./outputs/output-store.ts";
import { createToolBench, type ToolBench, type ToolBenchOptions } from "./testing/tool-bench.ts";
import { defineTool, type Tool } from "./tool.ts";
import { createToolRegistry } from "./tool-registry.ts";

let bench: ToolBench | undefined;

afterEach(async () => {
  await bench?.remove();
  bench = undefined;
});

function withTools(options: ToolBenchOptions): ToolBench {
  bench = createToolBench(options);
  return bench;
}

const greet = defineTool<{ name: string; times?: number }>({
  name: "greet",
  aliases: ["hello"],
  description: "Greets",
  kind: "other",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string" }, times: { type: "integer", minimum: 1 }, mood: { enum: ["glad", "sad"] } },
    required: ["name"],
    additionalProperties: false,
  },
  run: async ({ name, times = 1 }) => ({ output: `Hello ${name}! `.repeat(times).trim() }),
});

/** A tool that takes no input and does what the test says. */
function doing(run: Tool["run"], limits: Partial<Tool> = {}): Tool {
  return { name: "act", description: "Acts", kind: "other", inputSchema: { type: "object" }, run, ...limits };
}

describe("a call", () => {
  it("runs the tool by its name or an alias", async () => {
    const { call } = withTools({ tools: () => [greet] });
    const greeting = { status: "ok", output: "Hello Ada! Hello Ada!", outcomeClass: "success" };
    expect(await call("greet", { name: "Ada", times: 2 })).toEqual(greeting);
    expect(await call("hello", { name: "Ada", times: 2 })).toEqual(greeting);
  });

  it("of an unknown tool is rejected with the nearest names", async () => {
    const { call } = withTools({ tools: () => [greet] });
    expect(await call("gret", {})).toEqual({
      status: "rejected",
      output: "There is no tool named `gret`. Did you mean `greet`? The tools are greet.",
      outcomeClass: "not_found",
    });
  });

  it.each([
    [{}, "input.name is missing"],
    [undefined, "input.name is missing"],
    [{ name: 7 }, "input.name must be string, not a value of type number"],
    [{ name: "Ada", times: 0 }, "input.times must be >= 1"],
    [{ name: "Ada", mood: "odd" }, 'input.mood must be one of "glad", "sad"'],
    [{ name: "Ada", tims: 2 }, "input.tims is unknown. Did you mean `times`? Known are name, times, mood"],
    ["Ada", "input must be object, not a value of type string"],
  ])("with input %j is rejected before it runs: %s", async (input, complaint) => {
    const { call } = withTools({ tools: () => [greet] });
    const output = `Invalid arguments for greet: ${complaint}`;
    expect(await call("greet", input)).toEqual({ status: "rejected", output, outcomeClass: "validation" });
  });

  it.each([
    ["not-found", "not_found"],
    ["workspace-forbidden", "permission"],
    ["timed-out", "timeout"],
    ["invalid-request", "validation"],
    ["upstream-error", "tool_error"],
  ] as const)("whose tool fails with %s is classed as %s", async (code, outcomeClass) => {
    const failing = doing(async () => Promise.reject(new CaretError(code, "It went wrong")));
    const { call } = withTools({ tools: () => [failing] });
    expect(await call("act", {})).toEqual({ status: "error", output: "It went wrong", outcomeClass });
  });

  it("does not show the model what an unexpected failure was made of", async () => {
    const failing = doing(() => {
      throw new Error("secret detail");
    });
    const { call } = withTools({ tools: () => [failing] });
    expect(await call("act", {})).toEqual({ status: "error", output: "Unexpected failure", outcomeClass: "unknown" });
  });

  it("ends as a timeout when the tool takes longer than its limit", async () => {
    const slow = doing((_, { signal }) => untilAborted(signal), { timeLimitMs: 20 });
    const { call } = withTools({ tools: () => [slow] });
    expect(await call("act", {})).toEqual({
      status: "error",
      output: "act did not finish within its limit of 20 ms and was stopped",
      outcomeClass: "timeout",
    });
  });

  it("ends as interrupted when the turn is cancelled", async () => {
    const cancel = new AbortController();
    const slow = doing((_, { signal }) => {
      cancel.abort();
      return untilAborted(signal);
    });
    const { call } = withTools({ tools: () => [slow] });
    const result = { status: "interrupted", output: "Cancelled", outcomeClass: "unknown" };
    expect(await call("act", {}, { signal: cancel.signal })).toEqual(result);
    expect(await call("act", {}, { signal: cancel.signal })).toEqual(result);
  });

  it("that succeeded stays a success, whatever was cancelled meanwhile", async () => {
    const cancel = new AbortController();
    const quick = doing(async () => {
      cancel.abort();
      return { output: "written" };
    });
    const { call } = withTools({ tools: () => [quick] });
    const result = await call("act", {}, { signal: cancel.signal });
    expect(result).toEqual({ status: "ok", output: "written", outcomeClass: "success" });
  });
});

describe("a long output", () => {
  const long = Array.from({ length: 30_000 }, (_, index) => `línea ${index}`).join("\n");
  const talking = doing(async () => ({ output: long }));

  it("is cut in the middle, and the rest can be fetched", async () => {
    const { call } = withTools({ tools: (outputs) => [talking, createReadOutputTool({ outputs })] });
    const { output } = await call("act", {});
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(64 * 1024);
    const [head, tail] = output.split(/\n\[… cut: .*\]\n/s);
    expect({ startsWithHead: long.startsWith(head ?? "-"), endsWithTail: long.endsWith(tail ?? "-") }).toEqual({
      startsWithHead: true,
      endsWithTail: true,
    });
    expect(await fetchAll(call, /handle "([^"]+)"/.exec(output)?.[1] ?? "")).toBe(long);
  });

  it("is not kept under a handle that someone made up", async () => {
    const { call } = withTools({ tools: (outputs) => [createReadOutputTool({ outputs })] });
    expect(await call("read_output", { handle: "../../etc/passwd" })).toEqual({
      status: "error",
      output: "No output is stored under this handle: it is wrong, or the output was evicted",
      outcomeClass: "not_found",
    });
  });

  it("leaves nothing on the disk once the store is closed", async () => {
    const { call, outputs, workspace } = withTools({ tools: () => [talking] });
    await call("act", {});
    await outputs.close();
    expect(readdirSync(dirname(workspace))).toEqual(["outside", "workspace"]);
  });
});

describe("tools of a source", () => {
  it("come and go, and never take the place of our own", async () => {
    const names = ["guest", "greet"];
    const source = { tools: () => names.map((name) => doing(async () => ({ output: "theirs" }), { name })) };
    const { call } = withTools({ tools: () => [greet], sources: [source] });
    expect((await call("guest", {})).output).toBe("theirs");
    expect((await call("greet", { name: "Ada" })).output).toBe("Hello Ada!");
    names.shift();
    expect((await call("guest", {})).status).toBe("rejected");
  });

  it("may have schemas of another draft, or with the same id", async () => {
    const inputSchema = { $schema: "http://json-schema.org/draft-07/schema#", $id: "https://x.test/s", type: "object" };
    const tools = ["one", "two"].map((name) =>
      doing(async () => ({ output: name }), { name, inputSchema: { ...inputSchema, "x-own": true } }),
    );
    const { call } = withTools({ tools: () => tools });
    expect([(await call("one", {})).output, (await call("two", {})).output]).toEqual(["one", "two"]);
  });

  it("with a schema that makes no sense are not run", async () => {
    const odd = doing(async () => ({ output: "ran" }), { inputSchema: { type: "nonsense" } });
    const { call } = withTools({ tools: () => [odd] });
    const output = "The tool's own input schema cannot be used";
    expect(await call("act", {})).toEqual({ status: "error", output, outcomeClass: "tool_error" });
  });
});

it("refuses two tools of one name", () => {
  const outputs = createOutputStore({ parentDir: tmpdir() });
  const twins = [greet, { ...greet, name: "hello", aliases: [] }];
  expect(() => createToolRegistry(twins, { outputs })).toThrow("Two tools are named `hello`");
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

async function fetchAll(call: ToolBench["call"], handle: string): Promise<string> {
  let [text, offset] = ["", 0];
  for (;;) {
    const { output } = await call("read_output", { handle, offset, limit: 10_001 });
    const [, piece = "", end, rest] = /^(.*)\n\[bytes \d+ to (\d+) of \d+(.*)\]$/s.exec(output) ?? [];
    text += piece;
    offset = Number(end);
    if (rest === "; this is the end") return text;
  }
}
