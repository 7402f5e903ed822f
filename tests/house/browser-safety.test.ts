import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build, type Rolldown } from "vite";
import { describe, expect, it } from "vitest";
import { root } from "./lint-planted.ts";

const entry = join(root, "packages/protocol/src/index.ts");

/** The bundle a web page would load, as one script that gives its exports to `protocol`. */
async function bundleProtocol(): Promise<Rolldown.OutputChunk> {
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, minify: false, lib: { entry, formats: ["iife"], name: "protocol" } },
  })) as Rolldown.RolldownOutput[];
  const chunks = built.flatMap(({ output }) => output).filter((output) => output.type === "chunk");
  const [chunk, ...others] = chunks;
  if (chunk === undefined || others.length > 0) throw new Error(`Expected one chunk, got ${chunks.length}`);
  return chunk;
}

describe("the protocol in a browser", async () => {
  const chunk = await bundleProtocol();

  it("needs nothing of Node", () => {
    const foreign = chunk.moduleIds.filter((id) => id.includes("vite-browser-external") || id.startsWith("node:"));
    expect({ imports: chunk.imports, foreign }).toEqual({ imports: [], foreign: [] });
    expect(chunk.code).not.toMatch(/["'`]node:|\brequire\(/);
  });

  it("loads nothing of the agent interface's schema, which only programs import", () => {
    expect(chunk.moduleIds.filter((id) => id.includes("agent-api") || id.includes("@bufbuild"))).toEqual([]);
  });

  it("folds events, checks turns and keeps secrets where there are only a browser's globals", () => {
    // A bare context has the language and nothing else: no process, no Buffer, no require, no module.
    const context = createContext({ URL, TextEncoder, TextDecoder, atob, btoa });
    const script = `${chunk.code}
      const events = [
        { type: "turn-start", turnId: "t1", lane: "cli" },
        { type: "text-start", blockId: "b" },
        { type: "text-delta", blockId: "b", text: "hello" },
        { type: "text-end", blockId: "b" },
        { type: "turn-end", outcome: { kind: "failed", error: new protocol.CaretError("stalled", "Late").toInfo() } },
      ].map((event) => protocol.agentEventSchema.parse(event));
      protocol.assertWellFormedTurn(events);
      const { segments, outcome } = protocol.summariseEvents(events);
      JSON.stringify({ segments, code: outcome.error.code, secret: new protocol.Secret("s"), process: typeof process });`;
    expect(JSON.parse(runInContext(script, context) as string)).toEqual({
      segments: ["hello"],
      code: "stalled",
      secret: "[secret]",
      process: "undefined",
    });
  });
});
