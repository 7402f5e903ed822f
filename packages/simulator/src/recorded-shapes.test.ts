import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Json, parseLines, SimulatorSandbox } from "./cli/testing/simulator-sandbox.ts";

const captures = fileURLToPath(new URL("../../../../shared/captures/", import.meta.url));
const recording = `${captures}real-2026.07.20-multica.ndjson`;

let sandbox: SimulatorSandbox;
beforeEach(() => {
  sandbox = new SimulatorSandbox();
});
afterEach(() => sandbox.remove());

/** Every path of keys in a value, in the order they are written, so that a moved, missing or added key shows. */
function keyPaths(value: unknown, prefix = ""): readonly string[] {
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((entry) => keyPaths(entry, `${prefix}[]`));
  if (typeof value !== "object" || value === null) return [`${prefix}: ${typeof value}`];
  return Object.entries(value).flatMap(([key, inner]) => keyPaths(inner, `${prefix}.${key}`));
}

/** One shape per kind of event; calls are distinguished by their tool. */
function shapesOf(events: readonly Json[]): ReadonlyMap<string, readonly string[]> {
  return new Map(events.map((event) => [kindOf(event), keyPaths(event)]));
}

function kindOf(event: Json): string {
  const tool = Object.keys((event["tool_call"] as Json | undefined) ?? {})[0] ?? "";
  const form = event["type"] === "assistant" ? Object.keys(event).join() : "";
  return [event["type"], event["subtype"], tool, form].join(" ");
}

describe.skipIf(!existsSync(recording))("a recorded turn of the real CLI, played by the simulator", () => {
  it("has the same events in the same order, with the same keys in the same places", async () => {
    const real = parseLines(readFileSync(recording, "utf8"));
    sandbox.write("notes.txt", "alpha\nbeta\ngamma\n");
    const path = `${sandbox.workspace}/count.txt`;
    const shell = { command: "wc -l notes.txt", description: "Count lines in notes.txt" };
    const scenario = {
      turns: [
        [
          { thinking: "a b c d e f g h i j k l m n o p" },
          { text: "I'll read it." },
          {
            tools: [
              { name: "read", args: { path: "notes.txt" } },
              { name: "shell", args: shell },
            ],
          },
          { thinking: "a b c d e f g h i j k l" },
          { tool: { name: "write", args: { path, contents: "3\n" } } },
          { thinking: "a b c d e f g h" },
          { text: "Done." },
        ],
      ],
    };
    const simulated = await sandbox.turn("go", ["--force"], { scenario });
    const order = (events: readonly Json[]) => events.map(({ type, subtype }) => `${type} ${subtype ?? ""}`);
    expect(order(simulated)).toEqual(order(real));
    expect(withoutNewerFields(shapesOf(simulated))).toEqual(shapesOf(real));
  });
});

/** What versions after the recording write besides. */
const newer = /\.shellToolCall\.args\.(adminCommandDenylist|requestId)/;

function withoutNewerFields(shapes: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  return new Map([...shapes].map(([kind, paths]) => [kind, paths.filter((path) => !newer.test(path))]));
}
