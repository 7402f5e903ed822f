import type { ClientTool } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { toAgentTools } from "./agent-tools.ts";

const tool = (name: string, namespace?: string): ClientTool => ({
  name,
  inputSchema: { title: `${namespace}/${name}` },
  ...(namespace === undefined ? {} : { namespace }),
});

const namesOf = (...tools: readonly ClientTool[]) => toAgentTools(tools).map(({ name, origin }) => ({ name, origin }));

describe("the names under which an agent knows its client's tools", () => {
  it("are the client's own as long as nothing else has them", () => {
    expect(namesOf(tool("read"), tool("find", "docs"))).toEqual([
      { name: "read", origin: undefined },
      { name: "find", origin: { name: "find", namespace: "docs" } },
    ]);
  });

  it("say the group where two groups use one name, and each remembers its own", () => {
    expect(namesOf(tool("search", "mcp__github"), tool("search", "mcp__linear"), tool("search"))).toEqual([
      { name: "mcp__github__search", origin: { name: "search", namespace: "mcp__github" } },
      { name: "mcp__linear__search", origin: { name: "search", namespace: "mcp__linear" } },
      { name: "search", origin: undefined },
    ]);
  });

  it("never meet, however alike the client's are, and hold only what every model takes", () => {
    const long = "x".repeat(200);
    const tools = [
      tool("a/b"),
      tool("a b"),
      tool("a_b"),
      tool("c", "g"),
      tool("c", "h"),
      tool("g__c"),
      tool(`${long}1`),
      tool(`${long}2`),
    ];
    const names = namesOf(...tools).map(({ name }) => name);
    expect({ distinct: new Set(names).size, odd: names.filter((name) => !/^[\w.-]{1,64}$/.test(name)) }).toEqual({
      distinct: tools.length,
      odd: [],
    });
  });
});
