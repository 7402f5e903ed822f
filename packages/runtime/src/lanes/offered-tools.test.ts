import { describe, expect, it } from "vitest";
import type { AgentTool } from "../calls/tool-call.ts";
import { DISPATCHER, MAX_DIRECT_TOOLS, offerTools } from "./offered-tools.ts";

const tool = (index: number): AgentTool => ({
  name: `tool_${index}`,
  description: `Does thing ${index}.`,
  inputSchema: { type: "object", properties: { x: { type: "number" } }, $schema: "kept" },
});
const tools = (count: number): readonly AgentTool[] => Array.from({ length: count }, (_, index) => tool(index));

describe("offering a client's tools", () => {
  it("gives all of them directly, schemas untouched, while there is room", () => {
    const offer = offerTools(tools(MAX_DIRECT_TOOLS));
    expect([offer.tools, offer.instructions]).toEqual([tools(MAX_DIRECT_TOOLS), ""]);
    expect(offer.resolve("tool_3", { x: 1 })).toEqual({ name: "tool_3", input: { x: 1 } });
  });

  it("gives the rest through a dispatcher and drops none", () => {
    const offer = offerTools(tools(100));
    expect(offer.tools.map(({ name }) => name)).toEqual([...tools(39).map(({ name }) => name), DISPATCHER]);
    for (const { name } of tools(100).slice(39)) expect(offer.instructions).toContain(`- ${name}: `);
    expect(offer.resolve(DISPATCHER, { name: "tool_99", arguments: { x: 2 } })).toEqual({
      name: "tool_99",
      input: { x: 2 },
    });
    expect(offer.resolve("tool_99", { x: 2 })).toEqual({ name: "tool_99", input: { x: 2 } });
  });

  it("leaves a client's own tool of the dispatcher's name alone", () => {
    const offer = offerTools([{ ...tool(1), name: DISPATCHER }], { mayGrow: true });
    expect(offer.tools.map(({ name }) => name)).toEqual([DISPATCHER, `caret_${DISPATCHER}`]);
    expect(offer.resolve(DISPATCHER, { x: 1 })).toEqual({ name: DISPATCHER, input: { x: 1 } });
  });

  it.each([
    ["a name nobody offered", "nothing", {}],
    ["a dispatched name nobody offered", DISPATCHER, { name: "nothing", arguments: {} }],
    ["a dispatched call without a name", DISPATCHER, { arguments: {} }],
  ])("resolves %s to nothing", (_name, called, input) => {
    expect(offerTools(tools(100)).resolve(called, input)).toBeUndefined();
  });

  it("passes a dispatched call without arguments on as one with none", () => {
    expect(offerTools(tools(100)).resolve(DISPATCHER, { name: "tool_50", arguments: "{}" })).toEqual({
      name: "tool_50",
      input: {},
    });
  });
});
