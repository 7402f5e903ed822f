import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ConversationRequest } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMemoryEventStore } from "../log/testing/memory-event-store.ts";
import { removeSession } from "../sessions/remove-session.ts";
import { LINEAGE_FILE, openSqliteLineageStore } from "./matching/sqlite-lineage-store.ts";
import {
  answer,
  type ConversationBench,
  createConversationBench,
  defaultCaller,
  eventsOf,
  read,
  user,
} from "./testing/conversation-bench.ts";

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench();
});
afterEach(() => bench.close());

async function settle(): Promise<void> {
  await Promise.all(bench.engine.runningTurns().map(({ settled }) => settled));
}

describe("a conversation through a stateless door", () => {
  it("is one session, whose agent is sent each time only what is new", async () => {
    const first = await bench.open([user("A")]);
    const said = await read(first);
    const second = await bench.open([user("A"), answer(said), user("B")]);
    expect(await read(second)).toBe("answer 2");
    expect([first.relation, second.relation, second.sessionId]).toEqual(["new", "continuation", first.sessionId]);
    expect(bench.asked.map(({ prompt, upstream }) => [prompt, upstream?.sessionId])).toEqual([
      ["<instructions>\nBe brief.\n</instructions>\n\nA", undefined],
      ["B", `chat-${first.turnId}`],
    ]);
  });

  it("may go on at the very moment its last turn has ended", async () => {
    const turn = await bench.open([user("A")]);
    const ended = Promise.withResolvers<void>();
    const { signal } = new AbortController();
    void turn.follow((batch) => (batch.at(-1)?.type === "turn-end" ? ended.resolve() : undefined), signal);
    await ended.promise;
    expect((await bench.open([user("A"), answer(""), user("B")])).relation).toBe("continuation");
  });

  it("starts a new session, with the past it brings, when its history was edited", async () => {
    await read(await bench.open([user("A")]));
    await read(await bench.open([user("A"), answer("a"), user("B")]));
    const edited = await bench.open([user("A"), answer("a"), user("C")]);
    expect([edited.relation, await read(edited), bench.asked.at(-1)?.prompt]).toEqual([
      "divergence",
      "answer 3",
      "<instructions>\nBe brief.\n</instructions>\n\n" +
        "<earlier_conversation>\nUSER:\nA\n\nASSISTANT:\na\n</earlier_conversation>\n\nC",
    ]);
  });

  it("starts a new session when its session was deleted", async () => {
    const first = await bench.open([user("A")]);
    await read(first);
    await settle();
    await bench.store.deleteSession(first.sessionId);
    const second = await bench.open([user("A"), answer("a"), user("B")]);
    expect({ relation: second.relation, isSameSession: second.sessionId === first.sessionId }).toEqual({
      relation: "divergence",
      isSameSession: false,
    });
  });

  it("does not go on in another's session that began alike, whichever of those that did was deleted", async () => {
    const lineage = openSqliteLineageStore({ directory: join(bench.workspace, "data") });
    const { close } = bench;
    bench = createConversationBench({ lineage });
    const ask = (messages: Parameters<typeof bench.open>[0]) => bench.open(messages, { sessionKey: undefined });
    const [first, second] = [await ask([user("A")]), await ask([user("A")])];
    await Promise.all([first, second].map((turn) => read(turn)));
    await settle();
    await removeSession({ store: bench.store, scratch: bench.scratch, lineage }, second.sessionId);
    const third = await ask([user("A")]);
    await read(third);
    const next = await ask([user("A"), answer("a"), user("B")]);
    await read(next);
    expect([first, second, third].map(({ sessionId }) => sessionId)).not.toContain(next.sessionId);
    await lineage.close();
    await close();
  });

  it("does not go on in another's session, or where its own has gone on from, when another process held the index", async () => {
    const directory = join(bench.workspace, "data");
    const lineage = openSqliteLineageStore({ directory });
    const { close } = bench;
    bench = createConversationBench({ lineage });
    const ask = async (...said: readonly string[]) => {
      const messages = said.flatMap((text, index) => (index === 0 ? [user(text)] : [answer("a"), user(text)]));
      const turn = await bench.open(messages, { sessionKey: undefined });
      await read(turn);
      return turn.sessionId;
    };
    const other = new DatabaseSync(join(directory, LINEAGE_FILE));
    const first = await ask("A");
    const mine = await ask("M");
    other.exec("begin immediate");
    const second = await ask("A");
    const gone = await ask("M", "N");
    other.close();
    const [next, edited] = [await ask("A", "B"), await ask("M", "O")];
    expect([first, second]).not.toContain(next);
    expect([gone, edited !== mine]).toEqual([mine, true]);
    await lineage.close();
    await close();
  });

  it("asks again what failed", async () => {
    bench.manner("fail");
    await read(await bench.open([user("A")]));
    bench.manner("answer");
    const again = await bench.open([user("A")]);
    expect([again.relation, await read(again), bench.asked.at(-1)?.prompt]).toEqual([
      "continuation",
      "answer 2",
      "<instructions>\nBe brief.\n</instructions>\n\nA",
    ]);
  });

  it("tells the agent of instructions that were added, and not of those it knows", async () => {
    await read(await bench.open([user("A")]));
    await read(await bench.open([user("A"), user("B")], { system: "Be brief.\n\nSpeak French." }));
    expect(bench.asked.at(-1)?.prompt).toBe("<instructions>\nSpeak French.\n</instructions>\n\nB");
  });

  it("is one session though its system prompt tells the time, with a name or without", async () => {
    for (const sessionKey of ["key", undefined]) {
      const at = (time: string) => ({ system: `Be brief.\nBe kind.\nIt is ${time}.`, sessionKey });
      await read(await bench.open([user("A")], at("2026-11-15 10:32")));
      const second = await bench.open([user("A"), answer("a"), user("B")], at("2026-11-16 08:01"));
      await read(second);
      expect({ relation: second.relation, prompt: bench.asked.at(-1)?.prompt }).toEqual({
        relation: "continuation",
        prompt: "<instructions>\nIt is 2026-11-16 08:01.\n</instructions>\n\nB",
      });
    }
  });

  it("is one session though the client moves a note about: the agent gets it, and nothing twice", async () => {
    const note = "<system-reminder>\nThe date is 2026-11-15.\n</system-reminder>";
    const unnamed = { sessionKey: undefined };
    await read(await bench.open([user("A"), user(note)], unnamed));
    await read(await bench.open([user("A"), answer("answer 1"), user("B"), user(note)], unnamed));
    await read(
      await bench.open([user("A"), user(note), answer("answer 1"), user("B"), answer("answer 2"), user("C")], unnamed),
    );
    const later = note.replace("15", "16");
    const fourth = [
      user("A"),
      user(later),
      answer("answer 1"),
      user("B"),
      answer("answer 2"),
      user("C"),
      answer("answer 3"),
      user("D"),
    ];
    await read(await bench.open(fourth, unnamed));
    expect(bench.asked.map(({ prompt }) => prompt)).toEqual([
      `<instructions>\nBe brief.\n</instructions>\n\nUSER:\nA\n\nUSER:\n${note}`,
      `B\n\n${note}`,
      "C",
      `${later}\n\nD`,
    ]);
  });

  it("never crosses with another that says the same at the same time", async () => {
    const turns = await Promise.all(
      ["one", "two", "three"].map((sessionKey) => bench.open([user("A")], { sessionKey })),
    );
    await Promise.all(turns.map((turn) => read(turn)));
    const next = await Promise.all(
      ["one", "two", "three"].map((sessionKey) => bench.open([user("A"), answer(""), user("B")], { sessionKey })),
    );
    expect(next.map(({ sessionId }) => sessionId)).toEqual(turns.map(({ sessionId }) => sessionId));
    expect(new Set(turns.map(({ sessionId }) => sessionId)).size).toBe(3);
  });

  it("is forked, not mixed, by two clients that go on with it at once", async () => {
    await read(await bench.open([user("A")]));
    await settle();
    const [one, two] = await Promise.all([
      bench.open([user("A"), answer(""), user("B")]),
      bench.open([user("A"), answer(""), user("C")]),
    ]);
    expect({
      relation: one.relation,
      secondRelation: two.relation,
      isSameSession: one.sessionId === two.sessionId,
    }).toEqual({ relation: "continuation", secondRelation: "divergence", isSameSession: false });
  });
});

describe("the same request again", () => {
  it("joins the turn that runs, and gets it from its beginning", async () => {
    const gate = Promise.withResolvers<void>();
    bench.manner({ until: gate.promise });
    const first = await bench.open([user("A")]);
    const again = await bench.open([user("A")]);
    gate.resolve();
    expect([again.relation, again.turnId, await read(again), await read(first)]).toEqual([
      "joined",
      first.turnId,
      "workinganswer 1",
      "workinganswer 1",
    ]);
  });

  it("joins the turn that has ended, for ten minutes, when the answer was lost", async () => {
    const first = await bench.open([user("A")]);
    await first.outcome;
    first.leave("gone");
    bench.clock.now += 10 * 60_000;
    const again = await bench.open([user("A")]);
    expect([again.relation, await read(again)]).toEqual(["joined", "answer 1"]);
    bench.clock.now += 1;
    expect((await bench.open([user("A")])).relation).toBe("divergence");
  });

  it.each(["key", undefined])("gets another answer once the first has arrived: name %s", async (sessionKey) => {
    const first = await bench.open([user("A")], { sessionKey });
    await read(first);
    bench.clock.now += 2_001;
    const again = await bench.open([user("A")], { sessionKey });
    expect({
      text: await read(again),
      isNew: again.turnId !== first.turnId,
      prompt: bench.asked.at(-1)?.prompt,
    }).toEqual({
      text: "answer 2",
      isNew: true,
      prompt: "<instructions>\nBe brief.\n</instructions>\n\nA",
    });
  });

  it("gets another answer without the agent's memory of the first, later in a conversation, too", async () => {
    const history = [user("A"), answer("answer 1"), user("B")];
    const turns = [await bench.open([user("A")]), await bench.open(history)];
    for (const turn of turns) await read(turn);
    bench.clock.now += 2_001;
    const again = await bench.open(history);
    await read(again);
    expect({
      relation: again.relation,
      upstream: bench.asked.at(-1)?.upstream,
      prompt: bench.asked.at(-1)?.prompt,
    }).toEqual({
      relation: "divergence",
      upstream: undefined,
      prompt: expect.stringContaining(
        "<earlier_conversation>\nUSER:\nA\n\nASSISTANT:\nanswer 1\n</earlier_conversation>\n\nB",
      ),
    });
  });

  it("gets another answer at once on the connection that brought the first one whole", async () => {
    const caller = () => ({ ...defaultCaller, connection: { remoteAddress: "::1", remotePort: 1, localPort: 2 } });
    const [mine, other] = [caller(), caller()];
    const first = await bench.open([user("A")], {}, mine);
    await read(first);
    const retried = await bench.open([user("A")], {}, other);
    await read(retried);
    const again = await bench.open([user("A")], {}, mine);
    expect({
      isRetryTheSame: retried.turnId === first.turnId,
      isNextTheSame: again.turnId === first.turnId,
      text: await read(again),
    }).toEqual({ isRetryTheSame: true, isNextTheSame: false, text: "answer 2" });
  });

  it("is sent the same answer again when it comes within seconds: then the first was lost on its way", async () => {
    const first = await bench.open([user("A")]);
    await read(first);
    bench.clock.now += 2_000;
    const again = await bench.open([user("A")]);
    expect([again.relation, await read(again)]).toEqual(["joined", "answer 1"]);
  });

  it.each<[string, Partial<ConversationRequest>]>([
    [
      "another model",
      { requestedModel: { model: "gpt-5.4", cursorModel: undefined, effort: undefined, thinking: undefined } },
    ],
    ["another temperature", { sampling: '[["temperature",0.2]]' }],
    ["other instructions", { system: "Be long." }],
    ["no tools", { toolChoice: "none" }],
  ])("gets an answer of its own with %s, also while the first is given", async (_, changes) => {
    const gate = Promise.withResolvers<void>();
    bench.manner({ until: gate.promise });
    const first = await bench.open([user("A")]);
    bench.manner("answer");
    const other = await bench.open([user("A")], changes);
    gate.resolve();
    expect({ texts: [await read(first), await read(other)], models: [first.model, other.model] }).toEqual({
      texts: ["workinganswer 1", "answer 2"],
      models: ["auto", changes.requestedModel?.model ?? "auto"],
    });
  });

  it("goes on in its session with another model when the client has left the first answer", async () => {
    bench.manner({ until: new Promise(() => undefined) });
    const first = await bench.open([user("A")]);
    first.leave("gone");
    bench.manner("answer");
    const requestedModel = { model: "gpt-5.4", cursorModel: undefined, effort: undefined, thinking: undefined };
    const other = await bench.open([user("A")], { requestedModel });
    await read(other);
    expect({
      relation: other.relation,
      session: other.sessionId,
      model: other.model,
      first: await first.outcome,
    }).toEqual({
      relation: "continuation",
      session: first.sessionId,
      model: "gpt-5.4",
      first: { kind: "cancelled" },
    });
  });

  it("is a request of its own when its client has no name and the other one listens, or was served", async () => {
    const gate = Promise.withResolvers<void>();
    bench.manner({ until: gate.promise });
    const first = await bench.open([user("A")], { sessionKey: undefined });
    const second = await bench.open([user("A")], { sessionKey: undefined });
    gate.resolve();
    await Promise.all([read(first), read(second)]);
    const third = await bench.open([user("A")], { sessionKey: undefined });
    expect([first, second, third].map(({ relation }) => relation)).toEqual(["new", "new", "new"]);
  });

  it("is one turn for requests with the same idempotency-key, also while the log is slow to take the first", async () => {
    await bench.close();
    const store = createMemoryEventStore();
    const disk = Promise.withResolvers<void>();
    const append = store.append.bind(store);
    store.append = (...appended) => disk.promise.then(() => append(...appended));
    bench = createConversationBench({}, { store });
    const keyed = { idempotencyKey: "k", sessionKey: undefined };
    const both = [bench.open([user("A")], keyed), bench.open([user("A")], keyed)];
    await expect.poll(() => bench.asked.length).toBe(1);
    disk.resolve();
    const [first, second] = await Promise.all(both);
    expect({ isSame: first?.turnId === second?.turnId, agents: bench.asked.length }).toEqual({
      isSame: true,
      agents: 1,
    });
    expect(await Promise.all([first, second].map((turn) => turn && read(turn)))).toEqual(["answer 1", "answer 1"]);
  });

  it("is taken up by a client without a name that lost its connection", async () => {
    const gate = Promise.withResolvers<void>();
    bench.manner({ until: gate.promise });
    const first = await bench.open([user("A")], { sessionKey: undefined });
    first.leave("gone");
    const again = await bench.open([user("A")], { sessionKey: undefined });
    gate.resolve();
    expect([again.relation, await read(again)]).toEqual(["joined", "workinganswer 1"]);
  });
});

describe("a client that leaves", () => {
  beforeEach(async () => {
    await bench.close();
    bench = createConversationBench({ graceMs: 20 });
    bench.manner({ until: new Promise(() => undefined) });
  });

  it("learns by its idempotency-key later that the answer is not whole, and to use a new key", async () => {
    const keyed = { idempotencyKey: "k" };
    const turn = await bench.open([user("A")], keyed);
    turn.leave("gone");
    expect(await turn.outcome).toEqual({ kind: "cancelled" });
    await settle();
    const again = await bench.open([user("A")], keyed);
    const last = (await eventsOf(again)).at(-1);
    expect({ same: again.turnId === turn.turnId, last }).toMatchObject({
      same: true,
      last: {
        type: "turn-end",
        outcome: {
          kind: "failed",
          error: { fix: "See what the turn has done. To have it answered, send the request under a new key." },
        },
      },
    });
  });

  it("has its turn cancelled after a grace", async () => {
    const turn = await bench.open([user("A")]);
    turn.leave("gone");
    expect(await turn.outcome).toEqual({ kind: "cancelled" });
  });

  it("does not take the turn from another that follows it", async () => {
    const turn = await bench.open([user("A")]);
    const other = await bench.open([user("A")]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      turn.leave("gone");
      turn.leave("gone");
      vi.advanceTimersByTime(60_000);
      expect((await bench.open([user("A")])).relation).toBe("joined");
    } finally {
      vi.useRealTimers();
    }
    other.leave("gone");
    expect(bench.engine.runningTurns().length).toBe(1);
  });

  it("may go on with something else at once: the turn it left makes way", async () => {
    await bench.close();
    bench = createConversationBench({ graceMs: 60_000 });
    bench.manner({ until: new Promise(() => undefined) });
    const first = await bench.open([user("A")]);
    first.leave("gone");
    bench.manner("answer");
    const second = await bench.open([user("A"), user("B")]);
    expect([second.relation, second.sessionId, await read(second), (await first.outcome).kind]).toEqual([
      "continuation",
      first.sessionId,
      "answer 2",
      "cancelled",
    ]);
  });

  it("is refused as busy when it did not leave", async () => {
    await bench.open([user("A")]);
    await expect(bench.open([user("A"), user("B")])).rejects.toMatchObject({ code: "session-busy" });
  });
});

describe("where a turn works", () => {
  it.each([
    ["agent", true],
    ["agent", false],
    ["none", true],
    ["client", false],
    ["gateway", true],
  ] as const)(
    "may be told what no program can be passed, wherever the agent finds it (tools of %s, a workspace: %s)",
    async (owner, hasWorkspace) => {
      await bench.close();
      bench = createConversationBench(hasWorkspace ? {} : { defaultWorkspace: undefined });
      const tools = owner === "client" ? [{ name: "a", inputSchema: { type: "object" } }] : [];
      await read(await bench.open([user("A")], { system: "Be a\0b\ud800", owner, tools }));
      const [asked] = bench.asked;
      const rule = join(asked?.workspace ?? "", ".cursor/rules/caret.mdc");
      const written = existsSync(rule) ? readFileSync(rule, "utf8") : "";
      const given = [asked?.prompt, asked?.offered?.system, written].join("\n");
      expect([given.includes("Be a␀b\ufffd"), given.includes("\0"), given.isWellFormed()]).toEqual([true, false, true]);
    },
  );

  it("is an empty directory with the instructions as a rule when nobody says where", async () => {
    await bench.close();
    bench = createConversationBench({ defaultWorkspace: undefined });
    const turn = await bench.open([user("A")]);
    await read(turn);
    const [asked] = bench.asked;
    expect({ prompt: asked?.prompt, isInScratch: bench.scratch.holds(asked?.workspace ?? "") }).toEqual({
      prompt: "A",
      isInScratch: true,
    });
    const rule = join(asked?.workspace ?? "", ".cursor/rules/caret.mdc");
    expect(readFileSync(rule, "utf8")).toBe(
      "---\ndescription: Instructions for this session\nalwaysApply: true\n---\n\nBe brief.\n",
    );
    await read(await bench.open([user("A"), user("B")], { system: "Be brief.\n\nSpeak French." }));
    expect([bench.asked.at(-1)?.prompt, readFileSync(rule, "utf8").split("\n\n").slice(1)]).toEqual([
      "B",
      ["Be brief.", "Speak French.\n"],
    ]);
  });

  it("is never a user's directory with a rule file of ours", async () => {
    await read(await bench.open([user("A")]));
    expect(existsSync(join(bench.workspace, ".cursor"))).toBe(false);
  });

  it("is never another session's own directory", async () => {
    await bench.close();
    bench = createConversationBench({ defaultWorkspace: undefined });
    await read(await bench.open([user("A")]));
    const place = bench.asked[0]?.workspace ?? "";
    for (const workspace of [place, join(place, ".cursor"), bench.scratchRoot])
      await expect(bench.open([user("B")], { workspace })).rejects.toMatchObject({ code: "workspace-forbidden" });
  });

  it("must be allowed", async () => {
    await expect(bench.open([user("A")], { workspace: "/" })).rejects.toMatchObject({ code: "workspace-forbidden" });
  });

  it("is where the token is bound to, whatever the request says", async () => {
    const bound = { tokenName: "bound", workspace: bench.workspace };
    await read(await bench.open([user("A")], {}, bound));
    expect(bench.asked[0]?.workspace).toBe(bench.workspace);
    await expect(bench.open([user("A")], { workspace: bench.scratchRoot }, bound)).rejects.toMatchObject({
      code: "workspace-forbidden",
    });
  });

  it("separates sessions: another token never goes on with ours", async () => {
    await read(await bench.open([user("A")]));
    const other = await bench.open([user("A"), user("B")], {}, { ...defaultCaller, tokenName: "other" });
    expect(other.relation).toBe("new");
  });
});

describe("a request that cannot be answered", () => {
  it.each([
    ["no messages", [], {}, "invalid-request"],
    ["an answer of the assistant last", [user("A"), answer("a")], {}, "invalid-request"],
    ["an empty question", [user("  ")], { system: "" }, "invalid-request"],
    ["an image", [imageOf("image/png")], {}, "invalid-request"],
    ["tools of nobody we know", [user("A")], { owner: "me" }, "invalid-request"],
  ] as const)("is refused, and starts nothing: %s", async (_, messages, more, code) => {
    await expect(bench.open(messages, more)).rejects.toMatchObject({ code });
    expect(bench.asked).toEqual([]);
  });

  it("may mention images of the past", async () => {
    const turn = await bench.open([imageOf("image/png"), answer("a cat"), user("B")]);
    expect([await read(turn), bench.asked[0]?.prompt]).toEqual([
      "answer 1",
      expect.stringContaining("USER:\n[an image that is not shown here]"),
    ]);
  });

  it("is refused when as many turns run as may", async () => {
    await bench.close();
    bench = createConversationBench({}, { maxTurns: 1 });
    bench.manner({ until: new Promise(() => undefined) });
    const [first, second] = await Promise.allSettled([
      bench.open([user("A")]),
      bench.open([user("B")], { sessionKey: "b" }),
    ]);
    expect([first.status, second]).toMatchObject([
      "fulfilled",
      { reason: { code: "overloaded", message: "Too many concurrent turns (limit 1)" } },
    ]);
  });
});

function imageOf(mediaType: string) {
  return { role: "user", parts: [{ kind: "image", mediaType, data: "AAAA" }] } as const;
}
