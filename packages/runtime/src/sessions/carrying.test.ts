import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type AgentEvent, assertWellFormedTurn, type ExportFormat } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anyone, createSessionBench, type SessionBench } from "./testing/session-bench.ts";

let bench: SessionBench;
beforeEach(() => {
  bench = createSessionBench();
});
afterEach(() => bench.close());

const eventsOf = async (id: string) =>
  (await bench.sessions.readLog(id, { after: 0, raw: true }, anyone)).events.map(({ sessionId, ...rest }) => rest);

async function exported(id: string, format: ExportFormat): Promise<string> {
  const { chunks } = await bench.sessions.exportSession(id, format, anyone);
  let text = "";
  for await (const chunk of chunks) text += chunk;
  return text;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe("a fork", () => {
  it("is a session of its own with the same past", async () => {
    const { id } = await bench.sessions.create({ title: "First", permission: "full", model: "opus" }, anyone);
    await bench.turn(id, "One");
    await bench.turn(id, "Two");
    const fork = await bench.sessions.fork(id, {}, anyone);
    expect(fork).toMatchObject({
      title: "First (fork)",
      permission: "full",
      model: "opus",
      workspace: bench.workspace,
    });
    expect(fork).toMatchObject({ lastLine: "Answer 2", status: { kind: "ended", outcome: "completed" } });
    expect(await eventsOf(fork.id)).toEqual(await eventsOf(id));
    await bench.sessions.delete(id, anyone);
    expect(await eventsOf(fork.id)).not.toEqual([]);
  });

  it("sends its past to an upstream that knows nothing of it, and says so", async () => {
    const { id } = await bench.sessions.create({}, anyone);
    await bench.turn(id, "One");
    const fork = await bench.sessions.fork(id, {}, anyone);
    const { firstSeq } = await bench.turn(fork.id, "Two");
    expect(bench.asked[1]).toMatchObject({ upstream: undefined });
    expect(bench.asked[1]?.prompt).toMatch(/USER:\nOne\n\nASSISTANT:\nAnswer 1\n.*\n\nTwo$/s);
    const turn = (await eventsOf(fork.id)).slice(firstSeq - 1).map(({ event }) => event);
    assertWellFormedTurn(turn);
    expect(turn.find(({ type }) => type === "notice")).toMatchObject({ kind: "resume-lost" });
  });

  it("does not pay again for what was paid", async () => {
    const { id } = await bench.sessions.create({}, anyone);
    await bench.turn(id, "One");
    const fork = await bench.sessions.fork(id, {}, anyone);
    await bench.turn(fork.id, "Two");
    const turns = (await bench.sessions.usage(1, anyone)).map(({ sessionId, turns: count }) => [sessionId, count]);
    expect(turns.toSorted()).toEqual(
      [
        [id, 1],
        [fork.id, 1],
      ].toSorted(),
    );
  });

  it("knows where it came from, is found from there, and may have nothing of it but its choices", async () => {
    const { id } = await bench.sessions.create({ permission: "supervised" }, anyone);
    await bench.turn(id, "One");
    const { lastSeq } = await bench.sessions.get(id, anyone);
    const whole = await bench.sessions.fork(id, {}, anyone);
    const empty = await bench.sessions.fork(id, { throughSeq: 0 }, anyone);
    expect([whole.forkedFrom, empty.forkedFrom, empty.lastSeq, empty.permission]).toEqual([
      { sessionId: id, seq: lastSeq },
      { sessionId: id, seq: 0 },
      0,
      "supervised",
    ]);
    const forks = await bench.sessions.list({ forkedFrom: id }, anyone);
    expect(new Set(forks.sessions.map((fork) => fork.id))).toEqual(new Set([whole.id, empty.id]));
  });

  it("may begin before the first turn or at the end of any, and nowhere else", async () => {
    const { id } = await bench.sessions.create({}, anyone);
    await bench.turn(id, "One");
    const end = (await bench.sessions.get(id, anyone)).lastSeq;
    await bench.turn(id, "Two");
    const fork = await bench.sessions.fork(id, { throughSeq: end, title: "Other way" }, anyone);
    expect(fork).toMatchObject({ title: "Other way", lastSeq: end, lastLine: "Answer 1" });
    for (const throughSeq of [-1, 1, end - 1, 99_999])
      await expect(bench.sessions.fork(id, { throughSeq }, anyone)).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("is whole or is not made, also when its source is deleted meanwhile", async () => {
    const { id } = await bench.sessions.create({}, anyone);
    await bench.turn(id, "One");
    const forking = bench.sessions.fork(id, {}, anyone);
    forking.catch(() => undefined); // awaited below
    await bench.sessions.delete(id, anyone);
    await expect(forking).rejects.toMatchObject({ code: "session-not-found" });
    expect((await bench.sessions.list({}, anyone)).sessions).toEqual([]);
  });

  it("of a session that is at work has what was finished", async () => {
    const { id } = await bench.sessions.create({}, anyone);
    await bench.turn(id, "One");
    const end = (await bench.sessions.get(id, anyone)).lastSeq;
    bench.manner({ until: Promise.withResolvers().promise });
    await bench.sessions.startTurn(id, { prompt: "Two" }, anyone);
    expect(await bench.sessions.fork(id, {}, anyone)).toMatchObject({ lastSeq: end, status: { kind: "ended" } });
  });

  it("shares the empty directory that its session worked in, until both are gone", async () => {
    await bench.close();
    bench = createSessionBench({ defaultWorkspace: undefined });
    const { id, workspace } = await bench.sessions.create({}, anyone);
    const fork = await bench.sessions.fork(id, {}, anyone);
    await bench.sessions.delete(id, anyone);
    expect({ workspace: fork.workspace, isWorkspaceThere: existsSync(workspace) }).toEqual({
      workspace,
      isWorkspaceThere: true,
    });
    await bench.sessions.delete(fork.id, anyone);
    expect(existsSync(workspace)).toBe(false);
  });

  it("of a session without events is one", async () => {
    const { id } = await bench.sessions.create({}, anyone);
    expect(await bench.sessions.fork(id, {}, anyone)).toMatchObject({ lastSeq: 0, status: { kind: "idle" } });
  });
});

describe("an export", () => {
  it("can be imported again, and goes on where it may", async () => {
    const { id } = await bench.sessions.create({ title: "Carried" }, anyone);
    await bench.turn(id, "One");
    const imported = await bench.sessions.importSession(bytesOf(await exported(id, "ndjson")), anyone);
    expect(imported).toMatchObject({ title: "Carried", imported: true, workspace: bench.workspace });
    expect(await eventsOf(imported.id)).toEqual(await eventsOf(id));
    await bench.turn(imported.id, "Two");
    expect(bench.asked[1]?.prompt).toContain("USER:\nOne");
  });

  it("from a place that is not here works in a directory of its own, or where the caller belongs", async () => {
    const elsewhere = join(bench.directory, "elsewhere");
    mkdirSync(elsewhere);
    await bench.store.createSession({ id: "s", workspace: elsewhere, createdAt: 1 });
    const file = await exported("s", "ndjson");
    const [free, bound] = [
      await bench.sessions.importSession(bytesOf(file), anyone),
      await bench.sessions.importSession(bytesOf(file), { tokenName: "bound", workspace: bench.other }),
    ];
    expect({ isFreeInScratch: bench.scratch.holds(free.workspace), workspace: bound.workspace }).toEqual({
      isFreeInScratch: true,
      workspace: bench.other,
    });
  });

  it("cannot make a session in the directory of another one of ours", async () => {
    await bench.close();
    bench = createSessionBench({ defaultWorkspace: undefined });
    const { id, workspace } = await bench.sessions.create({}, anyone);
    const imported = await bench.sessions.importSession(bytesOf(await exported(id, "ndjson")), anyone);
    await bench.sessions.delete(imported.id, anyone);
    expect({ isSameWorkspace: imported.workspace === workspace, isWorkspaceThere: existsSync(workspace) }).toEqual({
      isSameWorkspace: false,
      isWorkspaceThere: true,
    });
  });

  it("that is not whole makes no session", async () => {
    const importing = bench.sessions.importSession(bytesOf('{"format":"caret-session"'), anyone);
    await expect(importing).rejects.toMatchObject({ code: "invalid-request" });
    expect((await bench.sessions.list({}, anyone)).sessions).toEqual([]);
  });

  const hostile = `</pre><script>alert("1")</script> & 'x'`;
  const turn: readonly AgentEvent[] = [
    { type: "turn-start", turnId: "t", lane: "sim", prompt: `Ask ${hostile}` },
    { type: "thinking-start", blockId: "b0" },
    { type: "thinking-delta", blockId: "b0", text: `Hm ${hostile}` },
    { type: "thinking-end", blockId: "b0", durationMs: 1500 },
    { type: "tool-call", callId: "c", name: `sh ${hostile}`, kind: "shell", input: { command: "ls" }, owner: "agent" },
    { type: "tool-result", callId: "c", status: "error", output: `\`\`\`\n${hostile}` },
    { type: "text-start", blockId: "b1" },
    { type: "text-delta", blockId: "b1", text: `Told ${hostile}` },
    { type: "text-end", blockId: "b1" },
    { type: "approval-request", requestId: "r", subject: "webFetch", input: {} },
    { type: "approval-answer", requestId: "r", decision: "rejected", by: "person", reason: "no" },
    { type: "usage", usage: { input: 5 } },
    { type: "turn-end", outcome: { kind: "completed" } },
  ];

  async function hostileSession(): Promise<void> {
    await bench.store.createSession({ id: "s", workspace: "/w", title: `Title ${hostile}`, createdAt: 0 });
    await bench.store.append(
      "s",
      0,
      turn.map((event, index) => ({ turnId: "t", event, at: index * 100, raw: index === 6 ? "no json" : "" })),
    );
  }

  it("as a page is one file without script, with every text escaped", async () => {
    await hostileSession();
    const page = await exported("s", "html");
    expect(page).not.toMatch(/<script|onload|https?:|src=/i);
    const escaped = "&lt;/pre&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;";
    expect(page.split(escaped)).toHaveLength(8);
    expect(page).toContain("prefers-color-scheme: dark");
    expect(page).toContain("<summary>Thinking, 1.5 s</summary>");
    expect(page).toContain("Asked to allow webFetch · rejected by person: no");
    expect(page.endsWith("completed · simulated · 1.1 s · 5 in</div>\n</body>\n</html>\n")).toBe(true);
  });

  it("shows changes as diffs, says what was simulated, and asks nobody what nobody was asked", async () => {
    await bench.store.createSession({ id: "s", workspace: "/w", lane: "sim", createdAt: 0 });
    const events: readonly AgentEvent[] = [
      { type: "turn-start", turnId: "t", lane: "sim", prompt: "Go" },
      { type: "tool-call", callId: "c", name: "edit", kind: "edit", input: {}, owner: "gateway" },
      { type: "approval-request", requestId: "r", callId: "c", subject: "edit", input: {} },
      { type: "approval-answer", requestId: "r", decision: "approved", by: "policy" },
      {
        type: "tool-result",
        callId: "c",
        status: "ok",
        output: "done",
        diff: { path: "a", before: "one\ntwo\n", after: "one\nthree\n" },
      },
      { type: "turn-end", outcome: { kind: "completed" } },
    ];
    await bench.store.append(
      "s",
      0,
      events.map((event) => ({ turnId: "t", event, at: 0 })),
    );
    const text = await exported("s", "markdown");
    expect(text).toContain("simulated: Cursor was not asked");
    expect(text).toContain("@@ -1,2 +1,2 @@\n one\n-two\n+three\n");
    expect(text).not.toContain("Asked to allow");
    expect(text).toContain("completed · simulated · 0.0 s");
  });

  it("as Markdown quotes the prompt and fences what tools said", async () => {
    await hostileSession();
    const text = await exported("s", "markdown");
    expect(text.startsWith(`# Title ${hostile}\n`)).toBe(true);
    expect(text).toContain(`\n> Ask ${hostile}\n`);
    expect(text).toContain(`\`\`\`\`text\n{\n  "command": "ls"\n}\n\n\`\`\`\n${hostile}\n\`\`\`\`\n`);
    expect(text).toContain(`\nTold ${hostile}\n`);
  });

  it("in the seed's shape has one line per event", async () => {
    await hostileSession();
    const lines = (await exported("s", "seed")).trimEnd().split("\n");
    expect(lines).toHaveLength(turn.length);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ id: "s:1", chatId: "s", type: "user" });
  });

  it("has a name that goes into any header and onto any disk", async () => {
    await bench.store.createSession({ id: "../..\n;s", workspace: "/w", title: `Fix "ä" & <b>: 日本`, createdAt: 0 });
    const files = (["ndjson", "markdown", "html", "seed"] as const).map(async (format) => {
      const { fileName, mediaType } = await bench.sessions.exportSession("../..\n;s", format, anyone);
      return [fileName, mediaType];
    });
    expect(await Promise.all(files)).toEqual([
      ["session-fix-a-b-s.ndjson", "application/x-ndjson"],
      ["session-fix-a-b-s.md", "text/markdown; charset=utf-8"],
      ["session-fix-a-b-s.html", "text/html; charset=utf-8"],
      ["session-fix-a-b-s.seed.ndjson", "application/x-ndjson"],
    ]);
  });
});
