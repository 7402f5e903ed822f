import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { assertWellFormedTurn, type SessionView } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  anyone,
  createSessionBench,
  isEndOf,
  isStatus,
  readUntil,
  type SessionBench,
} from "./testing/session-bench.ts";

let bench: SessionBench;
beforeEach(() => {
  bench = createSessionBench();
});
afterEach(() => bench.close());

const forever = (): AbortSignal => new AbortController().signal;

describe("a session", () => {
  it("works in the default workspace, at the default permission, and is idle", async () => {
    const session = await bench.sessions.create({}, anyone);
    expect(session).toEqual({
      id: session.id,
      title: "",
      workspace: bench.workspace,
      permission: "auto-edits",
      createdAt: session.createdAt,
      updatedAt: session.createdAt,
      archived: false,
      lastSeq: 0,
      lastLine: "",
      status: { kind: "idle" },
    });
    expect(await bench.sessions.get(session.id, anyone)).toEqual(session);
  });

  it("gets an empty directory of its own where there is no default workspace", async () => {
    await bench.close();
    bench = createSessionBench({ defaultWorkspace: undefined });
    const { id, workspace } = await bench.sessions.create({}, anyone);
    expect({ isInScratch: bench.scratch.holds(workspace), files: readdirSync(workspace) }).toEqual({
      isInScratch: true,
      files: [],
    });
    await bench.sessions.delete(id, anyone);
    expect(existsSync(workspace)).toBe(false);
  });

  it.each([
    [{ workspace: "/" }, "workspace-forbidden"],
    [{ workspace: "/nowhere/at/all" }, "workspace-missing"],
    [{ lane: "acp" as const }, "unsupported"],
    [{ model: "nonsense" }, "model-unknown"],
  ])("is not made with %j", async (wanted, code) => {
    await expect(bench.sessions.create(wanted, anyone)).rejects.toMatchObject({ code });
    expect((await bench.sessions.list({}, anyone)).sessions).toEqual([]);
  });

  it("may not be made in the directory of another session of ours", async () => {
    await expect(bench.sessions.create({ workspace: bench.scratch.make("") }, anyone)).rejects.toMatchObject({
      code: "workspace-forbidden",
    });
  });

  it("is changed as requested, and a bad change leaves it as it was", async () => {
    const { id } = await bench.sessions.create({ title: "Old" }, anyone);
    const changes = { title: "  New\nline", archived: true, permission: "auto", model: "opus" } as const;
    expect(await bench.sessions.change(id, changes, anyone)).toMatchObject({ ...changes, title: "New" });
    await expect(bench.sessions.change(id, { model: "nonsense" }, anyone)).rejects.toMatchObject({
      code: "model-unknown",
    });
    expect(await bench.sessions.get(id, anyone)).toMatchObject({ model: "opus" });
  });

  it("is named after its first prompt, unless it has a name", async () => {
    const [first, second] = [
      await bench.sessions.create({}, anyone),
      await bench.sessions.create({ title: "Mine" }, anyone),
    ];
    await bench.turn(first.id, `\n Fix the build\nplease`);
    await bench.turn(first.id, "And the tests");
    await bench.turn(second.id, "Hello");
    const titles = await Promise.all(
      [first, second].map(async ({ id }) => (await bench.sessions.get(id, anyone)).title),
    );
    expect(titles).toEqual(["Fix the build", "Mine"]);
  });

  it("is found by its title, and listed with what was said last", async () => {
    const { id } = await bench.sessions.create({ title: "Needle" }, anyone);
    await bench.sessions.create({ title: "Hay" }, anyone);
    const { turnId } = await bench.turn(id, "Go");
    const { sessions } = await bench.sessions.list({ search: "need" }, anyone);
    expect(sessions).toMatchObject([
      { id, lastLine: "Answer 1", status: { kind: "ended", turnId, outcome: "completed" } },
    ]);
  });

  it("is not deleted while a turn of it runs", async () => {
    const gate = Promise.withResolvers<void>();
    bench.manner({ until: gate.promise });
    const { id } = await bench.sessions.create({}, anyone);
    await bench.sessions.startTurn(id, { prompt: "Go" }, anyone);
    await expect(bench.sessions.delete(id, anyone)).rejects.toMatchObject({ code: "session-busy" });
    gate.resolve();
    await bench.engine.runningTurn(id)?.outcome;
    await bench.sessions.delete(id, anyone);
    await expect(bench.sessions.get(id, anyone)).rejects.toMatchObject({ code: "session-not-found" });
  });

  it("is not deleted under a turn that begins, whichever of the two is a moment earlier", async () => {
    for (let moments = 0; moments < 12; moments += 1) {
      const { id } = await bench.sessions.create({}, anyone);
      const starting = Promise.allSettled([bench.sessions.startTurn(id, { prompt: "Go" }, anyone)]);
      for (let moment = 0; moment < moments; moment += 1) await Promise.resolve();
      const [deleted] = await Promise.allSettled([bench.sessions.delete(id, anyone)]);
      const [started] = await starting;
      expect([moments, started?.status, deleted?.status].filter((word) => word === "fulfilled")).toEqual(["fulfilled"]);
      await bench.engine.runningTurn(id)?.settled;
    }
  });
});

describe("a turn", () => {
  it("is run by the agent in the workspace when it may do everything", async () => {
    const { id } = await bench.sessions.create({ permission: "full" }, anyone);
    await bench.turn(id, "Go", { mode: "plan", model: "opus" });
    expect(bench.asked[0]).toMatchObject({
      prompt: "Go",
      workspace: bench.workspace,
      force: true,
      mode: "plan",
      model: "opus",
      offered: undefined,
    });
  });

  it.each(["supervised", "auto-edits", "auto"] as const)(
    "at `%s` has its tools run by the gateway",
    async (permission) => {
      const { id } = await bench.sessions.create({}, anyone);
      await bench.turn(id, "Go", { permission });
      const [request] = bench.asked;
      expect({ realWorkspace: request?.offered?.realWorkspace, force: request?.force }).toEqual({
        realWorkspace: bench.workspace,
        force: false,
      });
      expect(bench.scratch.holds(request?.workspace ?? "")).toBe(true);
      expect(request?.offered?.tools.map(({ name }) => name)).toContain("ask_user");
    },
  );

  it("goes on in the same upstream session, in the same directory", async () => {
    const { id } = await bench.sessions.create({}, anyone);
    await bench.turn(id, "One");
    await bench.turn(id, "Two");
    const [first, second] = bench.asked;
    expect([second?.prompt, second?.workspace, second?.upstream?.sessionId]).toEqual([
      "Two",
      first?.workspace,
      `chat-${first?.turnId}`,
    ]);
  });

  it("gets the history in its prompt when the owner of the tools has changed", async () => {
    const { id } = await bench.sessions.create({}, anyone);
    await bench.turn(id, "One");
    await bench.turn(id, "Two", { permission: "full" });
    expect(bench.asked[1]?.prompt).toContain("USER:\nOne");
    const { events } = await bench.sessions.readLog(id, {}, anyone);
    expect(events.filter(({ event }) => event.type === "notice")).toMatchObject([{ event: { kind: "resume-lost" } }]);
  });

  it("is refused where one runs already, when too many run, and for a session that is not there", async () => {
    await bench.close();
    bench = createSessionBench({}, { maxTurns: 1 });
    bench.manner({ until: Promise.withResolvers().promise });
    const [one, two] = [await bench.sessions.create({}, anyone), await bench.sessions.create({}, anyone)];
    const { turnId } = await bench.sessions.startTurn(one.id, { prompt: "Go" }, anyone);
    const start = (id: string) => bench.sessions.startTurn(id, { prompt: "Go" }, anyone);
    await expect(start(two.id)).rejects.toMatchObject({
      code: "overloaded",
      message: "Too many concurrent turns (limit 1)",
    });
    await expect(start("nobody")).rejects.toMatchObject({ code: "session-not-found" });
    await expect(bench.sessions.cancelTurn(one.id, "another", anyone)).rejects.toMatchObject({ code: "not-found" });
    await bench.sessions.cancelTurn(one.id, turnId, anyone);
    await bench.engine.runningTurn(one.id)?.settled;
    expect((await bench.sessions.get(one.id, anyone)).status).toMatchObject({ kind: "ended", outcome: "cancelled" });
  });

  it("waits for a person's decision, which followers see live, and does not ask again for what was granted for the session", async () => {
    const command = (text: string) => ({ name: "exec", input: { command: text } });
    bench.manner({ calls: [command("echo one"), command("echo one")] });
    const { id } = await bench.sessions.create({ permission: "supervised" }, anyone);
    const updates = bench.sessions.followUpdates(forever(), anyone);
    const { turnId } = await bench.sessions.startTurn(id, { prompt: "Go" }, anyone);
    const waiting = (await readUntil(updates, isStatus("waiting"))).at(-1);
    expect(waiting).toMatchObject({ session: { status: { kind: "waiting", turnId, waitsFor: "approval" } } });
    const [ask] = bench.engine.runningTurn(id)?.asks.open() ?? [];
    const answer = { decision: "approved", grant: "1" } as const;
    await bench.sessions.answerApproval(id, String(ask?.requestId), answer, anyone);
    await expect(bench.sessions.answerApproval(id, "another", answer, anyone)).rejects.toMatchObject({
      code: "not-found",
    });
    await bench.engine.runningTurn(id)?.settled;
    expect((await bench.sessions.get(id, anyone)).status).toMatchObject({ kind: "ended", outcome: "completed" });
    const { events } = await bench.sessions.readLog(id, {}, anyone);
    assertWellFormedTurn(events.map(({ event }) => event));
    const answers = events.filter(({ event }) => event.type === "approval-answer");
    expect(answers).toMatchObject([{ event: { by: "person" } }, { event: { decision: "approved", by: "grant" } }]);
    const later = await bench.turn(id, "Again");
    expect(later.firstSeq).toBeGreaterThan(1);
  });

  it("waits for an answer to its question", async () => {
    const options = [{ id: "a", label: "Red" }];
    const input = { questions: [{ id: "q", prompt: "Which colour?", options }] };
    bench.manner({ calls: [{ name: "ask_user", input }] });
    const { id } = await bench.sessions.create({}, anyone);
    const updates = bench.sessions.followUpdates(forever(), anyone);
    await bench.sessions.startTurn(id, { prompt: "Go" }, anyone);
    const waiting = (await readUntil(updates, isStatus("waiting"))).at(-1);
    expect(waiting).toMatchObject({ session: { status: { waitsFor: "question", about: "Which colour?" } } });
    const [ask] = bench.engine.runningTurn(id)?.asks.open() ?? [];
    const answers = [{ questionId: "q", optionIds: ["a"] }];
    await bench.sessions.answerQuestion(id, String(ask?.requestId), { answers }, anyone);
    await bench.engine.runningTurn(id)?.settled;
    const { events } = await bench.sessions.readLog(id, {}, anyone);
    const answered = { type: "question-answer", outcome: "answered", answers };
    expect(events.map(({ event }) => event)).toContainEqual(expect.objectContaining(answered));
    await expect(bench.sessions.answerQuestion(id, "q", {}, anyone)).rejects.toMatchObject({ code: "not-found" });
  });

  it("is followed by what was said to it too late", async () => {
    const gate = Promise.withResolvers<void>();
    bench.manner({ until: gate.promise });
    const { id } = await bench.sessions.create({}, anyone);
    const { turnId } = await bench.sessions.startTurn(id, { prompt: "Go" }, anyone);
    await bench.sessions.steerTurn(id, turnId, "Use tabs", anyone);
    bench.manner("answer");
    gate.resolve();
    const log = bench.sessions.followLog(id, { after: 0, signal: forever() }, anyone);
    await readUntil(log, ({ event, turnId: of }) => event.type === "turn-end" && of !== turnId);
    expect(bench.asked.map(({ prompt }) => prompt)).toEqual(["Go", "Use tabs"]);
  });

  it("can be started as soon as the end of the last one was read", async () => {
    const { id } = await bench.sessions.create({}, anyone);
    const prompts = ["One", "Two", "Three", "Four", "Five"];
    for (const prompt of prompts) {
      const { turnId } = await bench.sessions.startTurn(id, { prompt }, anyone);
      await readUntil(bench.sessions.followLog(id, { after: 0, signal: forever() }, anyone), isEndOf(turnId));
    }
    expect(bench.asked.map(({ prompt }) => prompt)).toEqual(prompts);
  });

  it("does not push aside what was said too late to the one before", async () => {
    const gate = Promise.withResolvers<void>();
    bench.manner({ until: gate.promise });
    const { id } = await bench.sessions.create({}, anyone);
    const { turnId } = await bench.sessions.startTurn(id, { prompt: "Go" }, anyone);
    await bench.sessions.steerTurn(id, turnId, "Use tabs", anyone);
    bench.manner({ until: Promise.withResolvers().promise });
    gate.resolve();
    await readUntil(bench.sessions.followLog(id, { after: 0, signal: forever() }, anyone), isEndOf(turnId));
    const next = bench.sessions.startTurn(id, { prompt: "New" }, anyone);
    await expect(next).rejects.toMatchObject({ code: "session-busy" });
    expect(bench.asked.map(({ prompt }) => prompt)).toEqual(["Go", "Use tabs"]);
  });

  it("that was stopped stays stopped, whatever steering it got before", async () => {
    bench.manner({ until: Promise.withResolvers().promise });
    const { id } = await bench.sessions.create({}, anyone);
    const { turnId } = await bench.sessions.startTurn(id, { prompt: "Go" }, anyone);
    await bench.sessions.steerTurn(id, turnId, "Use tabs", anyone);
    await bench.sessions.cancelTurn(id, turnId, anyone);
    await bench.engine.runningTurn(id)?.settled;
    bench.manner("answer");
    await bench.turn(id, "New");
    expect(bench.asked.map(({ prompt }) => prompt)).toEqual(["Go", "New"]);
  });

  it("cannot be steered when the agent runs its own tools", async () => {
    bench.manner({ until: Promise.withResolvers().promise });
    const { id } = await bench.sessions.create({ permission: "full" }, anyone);
    const { turnId } = await bench.sessions.startTurn(id, { prompt: "Go" }, anyone);
    await expect(bench.sessions.steerTurn(id, turnId, "Use tabs", anyone)).rejects.toMatchObject({
      code: "unsupported",
    });
  });
});

describe("images of a prompt", () => {
  const png = Buffer.from("89504e470d0a1a0a0000", "hex");
  const image = (bytes: Buffer) => ({ mediaType: "image/jpeg", base64: bytes.toString("base64") });

  it("are private files that the agent is shown the way to and the log names, until the session is deleted", async () => {
    const { id } = await bench.sessions.create({ permission: "full" }, anyone);
    await bench.turn(id, "Look", { images: [image(png), image(Buffer.from("ffd8ffe0", "hex"))] });
    await bench.turn(id, "Look again", { images: [image(png)] });
    const directory = join(bench.directory, "attachments", id);
    expect(readdirSync(directory)).toEqual(["1.png", "2.jpg", "3.png"]);
    expect(readFileSync(join(directory, "1.png"))).toEqual(png);
    expect([statSync(directory).mode & 0o777, statSync(join(directory, "1.png")).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(bench.asked[0]?.prompt).toContain(
      `- ${join(directory, "1.png")} (image/png)\n- ${join(directory, "2.jpg")}`,
    );
    expect((await bench.sessions.get(id, anyone)).title).toBe("Look");
    const [{ event: start } = {}] = (await bench.sessions.readLog(id, { limit: 1 }, anyone)).events;
    expect(start).toMatchObject({
      prompt: "Look",
      images: [
        { name: "1.png", mediaType: "image/png" },
        { name: "2.jpg", mediaType: "image/jpeg" },
      ],
    });
    expect(await bench.sessions.readImage(id, "1.png", anyone)).toEqual({ mediaType: "image/png", bytes: png });
    for (const name of ["4.png", "../1.png", `../${id}/1.png`])
      await expect(bench.sessions.readImage(id, name, anyone)).rejects.toMatchObject({ code: "not-found" });
    await bench.sessions.delete(id, anyone);
    expect(existsSync(directory)).toBe(false);
  });

  it.each([
    ["that are none", [image(Buffer.from("<svg onload=alert(1)>"))], "invalid-request"],
    ["that are too many", Array.from({ length: 11 }, () => image(png)), "invalid-request"],
    ["that are too large", [image(Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)]))], "too-large"],
  ])("%s are refused, and leave nothing", async (_, images, code) => {
    const { id } = await bench.sessions.create({ permission: "full" }, anyone);
    await expect(bench.sessions.startTurn(id, { prompt: "Look", images }, anyone)).rejects.toMatchObject({ code });
    expect({ asked: bench.asked, areAttachmentsThere: existsSync(join(bench.directory, "attachments", id)) }).toEqual({
      asked: [],
      areAttachmentsThere: false,
    });
  });

  it("are refused where the agent has no tools of its own to look at them with", async () => {
    const { id } = await bench.sessions.create({ permission: "auto" }, anyone);
    const started = bench.sessions.startTurn(id, { prompt: "Look", images: [image(png)] }, anyone);
    await expect(started).rejects.toMatchObject({ code: "unsupported" });
    const kept = readdirSync(join(bench.directory, "attachments", id));
    expect({ asked: bench.asked, kept }).toEqual({ asked: [], kept: [] });
  });

  it("of a turn that does not begin are thrown away", async () => {
    bench.manner({ until: Promise.withResolvers().promise });
    const { id } = await bench.sessions.create({ permission: "full" }, anyone);
    await bench.sessions.startTurn(id, { prompt: "Go" }, anyone);
    const busy = bench.sessions.startTurn(id, { prompt: "Look", images: [image(png)] }, anyone);
    await expect(busy).rejects.toMatchObject({ code: "session-busy" });
    expect(readdirSync(join(bench.directory, "attachments", id))).toEqual([]);
  });
});

describe("a caller that is bound to a workspace", () => {
  const bound = () => ({ tokenName: "bound", workspace: bench.workspace });

  it("sees and touches only the sessions there", async () => {
    const mine = await bench.sessions.create({}, bound());
    const theirs = await bench.sessions.create({ workspace: bench.other }, anyone);
    const ids = async () => (await bench.sessions.list({}, bound())).sessions.map(({ id }) => id);
    expect(await ids()).toEqual([mine.id]);
    const tries = [
      bench.sessions.get(theirs.id, bound()),
      bench.sessions.change(theirs.id, { title: "Mine" }, bound()),
      bench.sessions.delete(theirs.id, bound()),
      bench.sessions.fork(theirs.id, {}, bound()),
      bench.sessions.startTurn(theirs.id, { prompt: "Go" }, bound()),
      bench.sessions.cancelTurn(theirs.id, "t", bound()),
      bench.sessions.steerTurn(theirs.id, "t", "Hi", bound()),
      bench.sessions.answerApproval(theirs.id, "r", { decision: "approved" }, bound()),
      bench.sessions.answerQuestion(theirs.id, "r", {}, bound()),
      bench.sessions.readLog(theirs.id, {}, bound()),
      bench.sessions.exportSession(theirs.id, "html", bound()),
      bench.sessions.changes(theirs.id, bound()),
      readUntil(bench.sessions.followLog(theirs.id, { after: 0, signal: forever() }, bound()), () => true),
    ];
    for (const attempt of tries) await expect(attempt).rejects.toMatchObject({ code: "session-not-found" });
    await expect(bench.sessions.create({ workspace: bench.other }, bound())).rejects.toMatchObject({
      code: "workspace-forbidden",
    });
    await expect(bench.sessions.findFiles(bench.other, "", bound())).rejects.toMatchObject({
      code: "workspace-forbidden",
    });
  });

  it("hears only of those, also of their end", async () => {
    const theirs = await bench.sessions.create({ workspace: bench.other }, anyone);
    const mine = await bench.sessions.create({}, bound());
    const updates = bench.sessions.followUpdates(forever(), bound());
    await bench.sessions.delete(theirs.id, anyone);
    await bench.sessions.delete(mine.id, anyone);
    expect(await readUntil(updates, () => true)).toEqual([{ kind: "deleted", sessionId: mine.id }]);
  });

  it("gets the usage of its own sessions", async () => {
    const mine = await bench.sessions.create({}, bound());
    const theirs = await bench.sessions.create({ workspace: bench.other, model: "opus" }, anyone);
    for (const { id } of [mine, theirs]) await bench.turn(id, "Go");
    const usage = { input: 10, output: 1 };
    const day = new Date().toISOString().slice(0, 10);
    const of = ({ id }: SessionView) => ({ day, sessionId: id, lane: "sim", title: "Go", turns: 1 });
    const rows = [
      { ...of(mine), model: "auto", unpricedTurns: 0, usage: { ...usage, cost: 18.5e-6 } },
      { ...of(theirs), model: "opus", unpricedTurns: 1, usage },
    ];
    expect(await bench.sessions.usage(1, anyone)).toEqual(rows);
    expect(await bench.sessions.usage(30, bound())).toEqual(rows.slice(0, 1));
    await expect(bench.sessions.usage(0, anyone)).rejects.toMatchObject({ code: "invalid-request" });
  });
});
