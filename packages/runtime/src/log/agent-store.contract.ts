import { HUMAN, sessionReceiver } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentStore } from "./agent-store.ts";
import type { EventEntry, EventStore } from "./event-store.ts";

type AgentLog = EventStore & { readonly agents: AgentStore };

export type CreateAgentLog = (options: { readonly now: () => number }) => Promise<{
  readonly store: AgentLog;
  /** Runs after the store was closed. */
  readonly dispose?: () => Promise<void>;
}>;

const noon = Date.UTC(2026, 10, 15, 12);
const command = (name: string, delivers: string) => ({ name, digest: name, delivers });
const starts = (turnId: string): EventEntry => ({ turnId, event: { type: "turn-start", turnId, lane: "cli" } });
const ends = (turnId: string, kind: "completed" | "cancelled" = "completed"): EventEntry => ({
  turnId,
  event: { type: "turn-end", outcome: { kind } },
});

/** The contract of every registry of agents and their queues. Each implementation's test file calls this once. */
export function describeAgentStore(name: string, create: CreateAgentLog): void {
  describe(`${name} keeps the agent-store contract`, () => {
    let store: AgentLog;
    let dispose: (() => Promise<void>) | undefined;
    let clock: number;
    const send = (id: string, to: string, more: object = {}) =>
      store.agents.send({ id, from: HUMAN, to, text: `text of ${id}`, ...more });
    const idsOf = (messages: readonly { readonly id: string }[]): string[] => messages.map(({ id }) => id);

    beforeEach(async () => {
      clock = noon;
      const created = await create({ now: () => clock });
      store = created.store;
      dispose = created.dispose;
      for (const agent of ["ada", "bob"])
        await store.createSession(
          { id: `s-${agent}`, workspace: "/w", createdAt: noon },
          { agent: { name: agent, createdBy: HUMAN, ...(agent === "ada" ? { userServers: false } : {}) } },
        );
    });

    afterEach(async () => {
      await store.close();
      await dispose?.();
    });

    it("makes an agent with its session, or neither when the name is taken", async () => {
      const again = { agent: { name: "ada", createdBy: HUMAN } };
      await expect(store.createSession({ id: "s3", workspace: "/w", createdAt: 1 }, again)).rejects.toMatchObject({
        code: "invalid-request",
      });
      expect({ session: await store.getSession("s3"), all: await store.agents.list() }).toEqual({
        session: undefined,
        all: [
          { name: "ada", sessionId: "s-ada", createdBy: HUMAN, userServers: false },
          { name: "bob", sessionId: "s-bob", createdBy: HUMAN },
        ],
      });
      expect(await store.getSession("s-ada")).toMatchObject({ agent: "ada" });
      await expect(store.deleteSession("s-ada")).rejects.toMatchObject({ code: "invalid-request" });
    });

    it("changes what is named of an agent, and knows none that is not there", async () => {
      await store.agents.suspend("ada", { since: 5, why: "its budget is spent" });
      await store.agents.report("ada", { text: "half done", at: 6 });
      await store.agents.setUserServers("ada", true);
      expect(await store.agents.ofSession("s-ada")).toEqual({
        name: "ada",
        sessionId: "s-ada",
        createdBy: HUMAN,
        suspended: { since: 5, why: "its budget is spent" },
        report: { text: "half done", at: 6 },
        userServers: true,
      });
      await store.agents.suspend("ada", undefined);
      expect(await store.agents.find("ada")).not.toHaveProperty("suspended");
      await expect(store.agents.suspend("eve", undefined)).rejects.toMatchObject({ code: "not-found" });
      await store.agents.remove("ada");
      expect([await store.agents.find("ada"), (await store.getSession("s-ada"))?.id]).toEqual([undefined, "s-ada"]);
    });

    it("stores a message once for an id, and refuses another one under it", async () => {
      const sent = await send("m1", "ada");
      expect(sent).toEqual({ id: "m1", from: HUMAN, to: "ada", text: "text of m1", state: "queued", at: noon });
      clock += 5;
      expect(await send("m1", "ada")).toEqual(sent);
      await expect(send("m1", "bob")).rejects.toMatchObject({ code: "invalid-request" });
      expect(await store.agents.queueOf("ada")).toEqual({ count: 1, since: noon });
    });

    it("gives a message to one turn, in the commit that begins it", async () => {
      await send("m1", "ada");
      await store.append("s-ada", 0, [starts("t1")], { command: command("c1", "m1") });
      expect(await store.agents.message("m1")).toMatchObject({ state: "started", turnId: "t1" });
      await store.append("s-ada", 1, [ends("t1")]);
      const again = store.append("s-ada", 2, [starts("t2")], { command: command("c2", "m1") });
      await expect(again).rejects.toMatchObject({ code: "session-busy" });
      expect([(await store.read("s-ada")).length, await store.findCommand("c2")]).toEqual([2, undefined]);
    });

    it("keeps the order of a queue, and takes or drops what waits in it", async () => {
      for (const id of ["m1", "m2", "m3"]) await send(id, "ada");
      expect(idsOf(await store.agents.messages("ada", { queued: true, limit: 2 }))).toEqual(["m1", "m2"]);
      expect(await store.agents.take("m1")).toMatchObject({ state: "read" });
      expect(await store.agents.takeAll("ada", "t1")).toMatchObject([
        { id: "m2", state: "read", turnId: "t1" },
        { id: "m3", state: "read", turnId: "t1" },
      ]);
      await send("m4", "ada");
      expect(await store.agents.drop("ada")).toMatchObject([{ id: "m4", state: "dropped" }]);
      expect(idsOf(await store.agents.messages("ada", { limit: 3 }))).toEqual(["m2", "m3", "m4"]);
      await store.agents.rewrite("m2", "without secrets");
      expect(await store.agents.message("m2")).toMatchObject({ text: "without secrets" });
    });

    it("changes or drops one that waits, and none that does not", async () => {
      await send("m1", "ada");
      clock += 5;
      expect(await store.agents.edit("m1", { text: "other words", mode: "plan" })).toMatchObject({
        text: "other words",
        mode: "plan",
        at: noon + 5,
      });
      await store.agents.dropOne("m1");
      await expect(store.agents.dropOne("m1")).rejects.toMatchObject({ code: "not-found" });
      await expect(store.agents.edit("m1", { text: "late" })).rejects.toMatchObject({ code: "not-found" });
    });

    it("finds the answer to a message, and takes what a person has answered as read", async () => {
      await store.agents.send({ id: "q1", from: "ada", to: HUMAN, text: "Which?" });
      expect(await store.getSession("s-ada")).toMatchObject({ asksSince: noon });
      expect((await store.listSessions({ active: true })).sessions.map(({ id }) => id)).toEqual(["s-ada"]);
      expect(await store.agents.takeReply("q1", "t1")).toBeUndefined();
      await send("a1", "ada", { replyTo: "q1" });
      expect(await store.agents.message("q1")).toMatchObject({ state: "read" });
      expect(await store.agents.takeReply("q1", "t1")).toMatchObject({ id: "a1", state: "read", turnId: "t1" });
      await expect(store.agents.takeReply("nothing", undefined)).rejects.toMatchObject({ code: "not-found" });
    });

    it("takes only what certain agents have sent, where it is asked so, and leaves the rest waiting", async () => {
      await store.agents.send({ id: "q1", from: "ada", to: "bert", text: "Which?" });
      for (const from of ["eve", "bert"])
        await store.agents.send({ id: `from-${from}`, from, to: "ada", text: "This.", replyTo: "q1" });
      const scope = { senders: ["bert"] };
      expect(await store.agents.takeReply("q1", "t1", { senders: [] })).toBeUndefined();
      expect(await store.agents.takeReply("q1", "t1", scope)).toMatchObject({ id: "from-bert", state: "read" });
      await send("from-human", "ada", {});
      expect(await store.agents.takeAll("ada", "t1", scope)).toEqual([]);
      expect((await store.agents.takeAll("ada", "t1")).map(({ id }) => id)).toEqual(["from-eve", "from-human"]);
    });

    it("lists the queues that wait: those that had a turn last come last, and no suspended agent", async () => {
      await store.createSession({ id: "s3", workspace: "/w", createdAt: noon });
      await send("m1", "ada");
      clock += 1;
      await send("m2", "bob");
      clock += 1;
      await send("m3", sessionReceiver("s3"));
      await store.append("s-ada", 0, [starts("t1"), ends("t1")]);
      await store.append("s3", 0, [starts("t2"), ends("t2", "cancelled")]);
      const waiting = async () =>
        (await store.agents.waiting()).map(({ sessionId, isAgent, isHeld, message }) => [
          sessionId,
          isAgent,
          isHeld,
          message.id,
        ]);
      expect(await waiting()).toEqual([
        ["s-bob", true, false, "m2"],
        ["s-ada", true, false, "m1"],
        ["s3", false, true, "m3"],
      ]);
      expect((await store.getSession("s3"))?.queued).toEqual({ count: 1, at: noon + 2 });
      await store.agents.suspend("bob", { since: noon });
      await store.deleteSession("s3");
      expect(await waiting()).toEqual([["s-ada", true, false, "m1"]]);
    });

    it("lists an agent that had a turn in the very millisecond behind one that had none", async () => {
      await send("m1", "ada");
      await send("m2", "bob");
      await store.append("s-ada", 0, [starts("t1"), ends("t1")]);
      expect((await store.agents.waiting()).map(({ receiver }) => receiver)).toEqual(["bob", "ada"]);
    });
  });
}
