import { describe, expect, it } from "vitest";
import type { AgentTool } from "../../calls/tool-call.ts";
import { createToolRound } from "./turn-tools.ts";

const tool = (name: string, description = ""): AgentTool => ({ name, description, inputSchema: { type: "object" } });

describe("what of a client's tools can be called until its next request", () => {
  it("is all of them, unless the client says which", () => {
    const tools = [tool("read"), tool("write")];
    const refusals = ([undefined, ["read"], []] as const).map((callable) => {
      const round = createToolRound(callable === undefined ? { tools } : { tools, callable });
      return { read: round.refusalOf("read"), write: round.refusalOf("write") };
    });
    const words = "The client wants an answer in words now: no tool can be called.";
    expect(refusals).toEqual([
      { read: undefined, write: undefined },
      { read: undefined, write: "The client wants a call of read now: no other tool can be called." },
      { read: words, write: words },
    ]);
  });

  it("changes with its next request, and the bridge that offers them is notified", () => {
    const round = createToolRound({ tools: [tool("read"), tool("write")] });
    const told: string[][] = [];
    round.onToolsChange((tools) => void told.push(tools.map(({ name }) => name)));
    const added = round.change({ tools: [tool("read"), tool("late")] });
    expect({ added, told, gone: round.refusalOf("write"), late: round.refusalOf("late") }).toEqual({
      added: [tool("late")],
      told: [["read", "late"]],
      gone: "The client does not offer write any more.",
      late: undefined,
    });
  });

  it("says nothing of a request that offers the same, and something of one that describes a tool otherwise", () => {
    const round = createToolRound({ tools: [tool("read")] });
    let changes = 0;
    round.onToolsChange(() => {
      changes += 1;
    });
    const counts = [tool("read"), tool("read", "Reads."), tool("read", "Reads.")].map((next) => {
      round.change({ tools: [next] });
      return changes;
    });
    expect(counts).toEqual([0, 1, 1]);
  });
});
