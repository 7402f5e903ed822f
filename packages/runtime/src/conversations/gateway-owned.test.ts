import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, type ConversationBench, createConversationBench, read, user } from "./testing/conversation-bench.ts";

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench();
});
afterEach(() => bench.close());

describe("tools that the gateway runs", () => {
  it.each(["gateway", "proxy-exec", "Gateway"])("are offered to a request that says %s", async (owner) => {
    await read(await bench.open([user("A")], { owner }));
    const [asked] = bench.asked;
    const names = asked?.offered?.tools.map(({ name }) => name);
    expect({
      offersExec: names?.includes("exec"),
      realWorkspace: asked?.offered?.realWorkspace,
      system: asked?.offered?.system,
    }).toEqual({ offersExec: true, realWorkspace: bench.workspace, system: "Be brief." });
    expect(bench.scratch.holds(asked?.workspace ?? "")).toBe(true);
  });

  it("are the gateway's own, not those that the client offers", async () => {
    await read(await bench.open([user("A")], { owner: "gateway", tools: [{ name: "mine", inputSchema: {} }] }));
    expect(bench.asked[0]?.offered?.tools.some(({ name }) => name === "mine")).toBe(false);
  });

  it("are there in the next turn of the session, too", async () => {
    await read(await bench.open([user("A")], { owner: "gateway" }));
    const next = await bench.open([user("A"), answer("answer 1"), user("B")], { owner: "gateway" });
    await read(next);
    const [first, second] = bench.asked;
    expect({
      relation: next.relation,
      prompt: second?.prompt,
      isSameWorkspace: second?.workspace === first?.workspace,
    }).toEqual({ relation: "continuation", prompt: "B", isSameWorkspace: true });
    expect(second?.offered?.realWorkspace).toBe(bench.workspace);
  });

  it("need a workspace, and leave nothing behind without one", async () => {
    await bench.close();
    bench = createConversationBench({ defaultWorkspace: undefined });
    await expect(bench.open([user("A")], { owner: "gateway" })).rejects.toMatchObject({ code: "invalid-request" });
    expect(readdirSync(bench.scratchRoot)).toEqual([]);
  });

  it("do not reach a workspace where turns may not work", async () => {
    await expect(bench.open([user("A")], { owner: "gateway", workspace: "/" })).rejects.toMatchObject({
      code: "workspace-forbidden",
    });
  });
});
