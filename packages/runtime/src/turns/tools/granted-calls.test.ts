import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolCall } from "../../calls/tool-call.ts";
import { createSessionGrants, type SessionGrants } from "../../policy/grants/session-grants.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { AttendedBench, approveAll, askedFor, eventsOf, only } from "../testing/attended-bench.ts";

const spawner = createInlineSpawner({});
let bench: AttendedBench;
let grants: SessionGrants;
beforeEach(() => {
  bench = new AttendedBench(spawner);
  let ids = 0;
  grants = createSessionGrants({ newId: () => `g${++ids}`, now: () => 7 });
});
afterEach(() => bench.remove());
afterAll(() => spawner.close());

const exec = (command: string): ToolCall => ({ name: "exec", input: { command } });
const write = (path: string): ToolCall => ({ name: "write", input: { path, content: path } });

describe("a call that a person has allowed for the rest of the session", () => {
  it("runs unasked in this turn and the next, and the log says by which grant", async () => {
    const turn = await bench.start([[exec("touch a")], [exec("touch a")]], { grants });
    const [first] = await askedFor(turn);
    expect(first?.grants).toEqual([{ id: "1", kind: "command", pattern: "touch a", label: "exactly `touch a`" }]);
    const answered = turn.asks.answerApproval(first?.requestId ?? "", { decision: "approved", grant: "1" });
    const granted = { id: "g1", label: "exactly `touch a`" };
    expect(answered).toEqual({ granted: { ...granted, kind: "command", pattern: "touch a", grantedAt: 7, uses: 0 } });
    const events = await eventsOf(turn);
    const next = await bench.start([[exec("touch a")]], { grants }, { sessionId: turn.sessionId });
    const answers = [...only(events, "approval-answer"), ...only(await eventsOf(next), "approval-answer")];
    const byGrant = { decision: "approved", by: "grant", reason: "You allowed exactly `touch a` for this session" };
    expect(answers.map(({ type, requestId, ...answer }) => answer)).toEqual([
      { decision: "approved", by: "person", granted },
      { ...byGrant, grants: [granted] },
      { ...byGrant, grants: [granted] },
    ]);
    expect(grants.list().map(({ uses }) => uses)).toEqual([2]);
  });

  it("is the only one: another command of the same tool is asked about", async () => {
    const turn = await bench.start([[exec("touch a")], [exec("touch b")]], { grants });
    const [first] = await askedFor(turn);
    turn.asks.answerApproval(first?.requestId ?? "", { decision: "approved", remember: true });
    const asked = approveAll(turn);
    await eventsOf(turn);
    expect(asked.map(({ input }) => input)).toEqual([{ command: "touch b" }]);
  });

  it("may have waited already, next to the one that was allowed", async () => {
    const turn = await bench.start([[write("src/a"), write("src/b"), write("c")]], { grants });
    const open = await askedFor(turn, 3);
    const requestOf = (path: string) => open.find(({ input }) => (input as { path: string }).path === path);
    turn.asks.answerApproval(requestOf("src/a")?.requestId ?? "", { decision: "approved", grant: "2" });
    const left = turn.asks.open().map(({ about }) => about);
    turn.asks.answerApproval(requestOf("c")?.requestId ?? "", { decision: "rejected" });
    await eventsOf(turn);
    expect({ left, names: bench.names() }).toEqual({ left: ["Write c"], names: ["src"] });
  });

  it("is never a dangerous one: it is approved once, and the answer says so", async () => {
    bench.write("a", "");
    const turn = await bench.start([[exec("rm -f a")], [exec("rm -f a")]], { grants });
    const [first] = await askedFor(turn);
    expect(first?.grants).toBeUndefined();
    expect(() => turn.asks.answerApproval(first?.requestId ?? "", { decision: "approved", grant: "1" })).toThrow(
      "The request offers no grant 1",
    );
    const answered = turn.asks.answerApproval(first?.requestId ?? "", { decision: "approved", remember: true });
    const asked = approveAll(turn);
    await eventsOf(turn);
    expect({ answered, again: asked.map(({ input }) => input), grants: grants.list() }).toEqual({
      answered: { notGranted: "This is dangerous, and is asked about each time." },
      again: [{ command: "rm -f a" }],
      grants: [],
    });
  });

  it("is asked about again once the grant was revoked", async () => {
    const turn = await bench.start([[exec("touch a")], [exec("touch a")]], { grants });
    const [first] = await askedFor(turn);
    const answered = turn.asks.answerApproval(first?.requestId ?? "", { decision: "approved", grant: "1" });
    grants.revoke(answered?.granted?.id ?? "");
    const asked = approveAll(turn);
    await eventsOf(turn);
    expect(asked).toHaveLength(1);
  });

  it("cannot be granted by a rejection, and goes on waiting then", async () => {
    const turn = await bench.start([[exec("touch a")]], { grants });
    const [first] = await askedFor(turn);
    const answer = { decision: "rejected", grant: "1" } as const;
    expect(() => turn.asks.answerApproval(first?.requestId ?? "", answer)).toThrow("Only an approval can be granted");
    expect(turn.asks.answerApproval(first?.requestId ?? "", { decision: "rejected" })).toEqual({});
    await eventsOf(turn);
  });
});
