import { existsSync } from "node:fs";
import type { FollowedUpdate, NativeClient, SessionView } from "@caret/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventOf, playTurn, textOf } from "./await-event.ts";
import { MortalGateway } from "./mortal-gateway.ts";

let gateway: MortalGateway;
let caret: NativeClient;
beforeAll(async () => {
  gateway = await MortalGateway.start({ turns: [{ when: "wait for me", steps: [{ text: "Hm. " }, { hang: true }] }] });
  caret = gateway.client();
});
afterAll(() => gateway.remove());

describe("sessions", () => {
  it("are listed page by page, newest first, each once", async () => {
    const titles = Array.from({ length: 60 }, (_, index) => `Leaf ${String(index).padStart(2, "0")}`);
    for (const title of titles) await caret.createSession({ title });
    const seen: SessionView[] = [];
    let next: string | undefined;
    do {
      const page = await caret.listSessions({
        search: "leaf",
        limit: 25,
        ...(next === undefined ? {} : { after: next }),
      });
      seen.push(...page.sessions);
      next = page.next;
    } while (next !== undefined);
    // Two that were made within the same millisecond are in any order.
    expect(seen).toEqual(seen.toSorted((one, other) => other.updatedAt - one.updatedAt));
    expect(seen.map(({ title }) => title).toSorted()).toEqual(titles);
  });

  it("are found by what stands in their titles, and not by anything else", async () => {
    await caret.createSession({ title: "Grünes Blatt 100%" });
    const find = async (search: string) => (await caret.listSessions({ search })).sessions.map(({ title }) => title);
    expect([await find("blatt 100%"), await find("%_%"), await find("nobody")]).toEqual([
      ["Grünes Blatt 100%"],
      [],
      [],
    ]);
  });

  it("are renamed, archived and deleted, and followers of the updates are notified", async () => {
    const stop = new AbortController();
    const updates: FollowedUpdate[] = [];
    const opened = Promise.withResolvers<void>();
    const following = (async () => {
      for await (const items of caret.followUpdates({ signal: stop.signal })) {
        updates.push(...items);
        opened.resolve();
      }
    })();
    await opened.promise;
    const { id } = await caret.createSession({ title: "First name" });
    expect(await caret.changeSession(id, { title: "Second name", permission: "auto" })).toMatchObject({
      title: "Second name",
      permission: "auto",
      archived: false,
    });
    await caret.changeSession(id, { archived: true });
    const listed = async (archived: boolean) =>
      (await caret.listSessions({ archived, search: "Second name" })).sessions.map((session) => session.id);
    expect([await listed(false), await listed(true)]).toEqual([[], [id]]);
    await caret.deleteSession(id);
    await expect(caret.getSession(id)).rejects.toMatchObject({ code: "session-not-found" });
    await expect.poll(() => updates.at(-1)).toEqual({ kind: "deleted", sessionId: id });
    expect(updates).toContainEqual({ kind: "changed", session: expect.objectContaining({ id }) });
    stop.abort();
    await following;
  });

  it("without a workspace of their own have an empty directory, which goes with them", async () => {
    const other = await MortalGateway.start(undefined, { args: ["--port", "0"] });
    try {
      const theirs = other.client();
      const { id, workspace } = await theirs.createSession({});
      expect(existsSync(workspace)).toBe(true);
      await theirs.deleteSession(id);
      expect(existsSync(workspace)).toBe(false);
    } finally {
      await other.remove();
    }
  });

  it("are not deleted under a running turn; followers of a deleted one are notified", async () => {
    const { id } = await caret.createSession({ permission: "full" });
    const { turnId, firstSeq } = await caret.startTurn(id, { prompt: "wait for me" });
    await eventOf(caret, id, "text-delta", firstSeq);
    await expect(caret.deleteSession(id)).rejects.toMatchObject({ code: "session-busy" });
    await expect(caret.startTurn(id, { prompt: "me too" })).rejects.toMatchObject({ code: "session-busy" });
    await caret.cancelTurn(id, turnId);
    const { event, seq } = await eventOf(caret, id, "turn-end", firstSeq);
    expect(event.outcome).toEqual({ kind: "cancelled" });
    const following = eventOf(caret, id, "turn-start", seq);
    await expect.poll(() => caret.deleteSession(id).then(() => "deleted"), { timeout: 5000 }).toBe("deleted");
    await expect(following).rejects.toMatchObject({ code: "session-not-found" });
  });

  it("may only work where the gateway allows it", async () => {
    await expect(caret.createSession({ workspace: "/etc" })).rejects.toMatchObject({ code: "workspace-forbidden" });
  });
});

describe("a fork", () => {
  it("goes on from what was said, for the agent too, and leaves the session it came from alone", async () => {
    const { id } = await caret.createSession({ title: "Trunk", permission: "full" });
    await playTurn(caret, id, "My favourite colour is teal");
    const trunk = await caret.readLog(id);
    await playTurn(caret, id, "My favourite colour is pink");
    const { lastSeq } = await caret.getSession(id);

    const fork = await caret.forkSession(id, { throughSeq: trunk.lastSeq, title: "Branch" });
    expect(fork).toMatchObject({ title: "Branch", lastSeq: trunk.lastSeq, permission: "full" });
    const copied = (await caret.readLog(fork.id)).events;
    expect(copied).toEqual(trunk.events.map((envelope) => ({ ...envelope, sessionId: fork.id })));

    const answer = textOf(await playTurn(caret, fork.id, "What is my favourite colour?"));
    expect(gateway.home.prompts().at(-1)).toContain("teal");
    expect(gateway.home.prompts().at(-1)).not.toContain("pink");
    expect(answer).toContain("teal");
    expect((await caret.getSession(id)).lastSeq).toBe(lastSeq);
  });

  it("cannot begin in the middle of a turn", async () => {
    const { id } = await caret.createSession({ permission: "full" });
    await playTurn(caret, id, "hello");
    await expect(caret.forkSession(id, { throughSeq: 1 })).rejects.toMatchObject({ code: "invalid-request" });
  });
});
