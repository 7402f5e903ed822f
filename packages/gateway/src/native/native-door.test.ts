import { CaretError, type ErrorCode, errorCodes } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import { type StartedServer, startServer } from "../server/testing/start-server.ts";
import { toNativeError } from "./errors.ts";
import { callNative } from "./testing/native-client.ts";
import { blankAbout } from "./testing/native-options.ts";
import { ScriptedSessions } from "./testing/scripted-sessions.ts";

let sessions: ScriptedSessions;
let server: StartedServer;

beforeEach(async () => {
  sessions = new ScriptedSessions();
  sessions.addSession("s1");
  server = await startServer(scriptedConversations(telling(...saying("ready"))), { sessions });
});
afterEach(() => server.app.close());

const boss = { tokenName: "boss", workspace: undefined };
const view = async (id: string) => JSON.parse(JSON.stringify(await sessions.get(id)));

describe("a command", () => {
  it.each([
    ["POST", "/fork", { throughSeq: 4, title: "B" }, 201, ["fork", "s1", { throughSeq: 4, title: "B" }]],
    ["POST", "/turns", { prompt: "Hi", mode: "plan" }, 202, ["startTurn", "s1", { prompt: "Hi", mode: "plan" }]],
    ["POST", "/turns/t1/cancel", {}, 202, ["cancelTurn", "s1", "t1"]],
    ["POST", "/turns/t1/steer", { text: "No" }, 202, ["steerTurn", "s1", "t1", "No"]],
    ["POST", "/questions/q1", {}, 202, ["answerQuestion", "s1", "q1", {}]],
    ["POST", "/approvals/a1", { decision: "rejected" }, 202, ["answerApproval", "s1", "a1", { decision: "rejected" }]],
    ["POST", "/editor/e1", { text: "T", exitCode: 0 }, 204, ["answerEditor", "s1", "e1", { text: "T", exitCode: 0 }]],
    ["PATCH", "", { archived: true }, 200, ["change", "s1", { archived: true }]],
    ["DELETE", "", undefined, 204, ["delete", "s1"]],
  ])("%s …%s %j is answered with %i and done at the sessions", async (method, path, body, status, asked) => {
    const answer = await callNative(server, method, `/api/sessions/s1${path}`, { body });
    expect([answer.status, sessions.asked]).toEqual([status, [[...asked, boss]]]);
  });

  it("makes a session and says so", async () => {
    const wanted = { workspace: "/w", title: "A", model: "auto", permission: "full" };
    const { status, body } = await callNative(server, "POST", "/api/sessions", { body: { ...wanted, later: 1 } });
    expect([status, body, sessions.asked]).toEqual([201, await view("s2"), [["create", wanted, boss]]]);
  });

  it("is done on behalf of the token, with its workspace", async () => {
    server.tokens.set("bound", { name: "bound", scopes: ["sessions"], workspace: "/w" });
    await callNative(server, "POST", "/api/sessions", { token: "bound" });
    expect(sessions.asked).toEqual([["create", {}, { tokenName: "bound", workspace: "/w" }]]);
  });

  it.each([
    ["POST", "/api/sessions", { lane: "bus" }, "lane: must be one of cli, acp, sdk, api, sim"],
    ["POST", "/api/sessions", { title: 5 }, "title: must be a string"],
    ["POST", "/api/sessions", { permission: "none" }, "permission: must be one of supervised, auto-edits, auto, full"],
    ["POST", "/api/sessions", "[]", "The body must be a JSON object"],
    ["POST", "/api/sessions/s1/turns", {}, "prompt: must be a string"],
    ["POST", "/api/sessions/s1/turns", { prompt: " \n" }, "prompt: must not be blank"],
    [
      "POST",
      "/api/sessions/s1/turns",
      { prompt: "a", images: [{ mediaType: "image/svg+xml", base64: "a" }] },
      "images[0].mediaType: must be one of image/png, image/jpeg, image/gif, image/webp",
    ],
    ["POST", "/api/sessions/s1/approvals/a", { decision: "maybe" }, "decision: must be one of approved, rejected"],
    ["PATCH", "/api/sessions/s1", { archived: "yes" }, "archived: must be true or false"],
    ["POST", "/api/connect/test", { door: "acp" }, "door: must be one of openai, responses, anthropic"],
    ["GET", "/api/sessions?limit=0", undefined, "limit: must be from 1 to 500"],
    ["GET", "/api/sessions?archived=1", undefined, "archived: must be true or false"],
    ["GET", "/api/sessions?search=a&search=b", undefined, "search: must not be repeated"],
    ["GET", "/api/sessions/s1/log?after=1&before=2", undefined, "before: cannot be given together with `after`"],
    ["GET", "/api/sessions/s1/log?limit=10001", undefined, "limit: must be from 1 to 10000"],
    ["GET", "/api/sessions/s1/events?after=-1", undefined, "after: must be a whole number"],
    ["GET", "/api/sessions/s1/events?after=7", undefined, "after: the log of this session ends at 0"],
    ["GET", "/api/sessions/s1/export?format=pdf", undefined, "format: must be one of ndjson, markdown, html, seed"],
    ["GET", "/api/sessions/s1/editor?reads=1", undefined, "reads: must be true or false"],
    ["POST", "/api/sessions/s1/editor/e1", { exitCode: "0" }, "exitCode: must be a whole number"],
    ["GET", "/api/files", undefined, "workspace: is required"],
  ])("%s %s %j is refused with a message that names the field", async (method, path, body, message) => {
    const answer = await callNative(server, method, path, { body });
    expect([answer.status, answer.body, sessions.asked]).toEqual([
      400,
      { error: { code: "invalid-request", message, retryable: false, fix: expect.any(String) } },
      [],
    ]);
  });
});

describe("an idempotency key", () => {
  const key = (value: string) => ({ headers: { "idempotency-key": value } });

  it("lets a command be sent twice and done once, also while it is under way", async () => {
    const send = () => callNative(server, "POST", "/api/sessions", { body: { title: "A" }, ...key("k1") });
    const [first, joined] = await Promise.all([send(), send()]);
    const later = await send();
    expect([first.body, joined.body, later.body]).toEqual(Array(3).fill(await view("s2")));
    expect([later.status, later.headers.get("idempotency-replayed"), sessions.asked.length]).toEqual([201, "true", 1]);
  });

  it("stands for one body only", async () => {
    await callNative(server, "POST", "/api/sessions", { body: { title: "A" }, ...key("k1") });
    const { status, body } = await callNative(server, "POST", "/api/sessions", { body: { title: "B" }, ...key("k1") });
    expect([status, body]).toEqual([
      422,
      { error: expect.objectContaining({ message: "idempotency-key: was used before, with another body." }) },
    ]);
  });

  it("belongs to a token, a method and a path", async () => {
    const twice = { body: { title: "A" }, ...key("k1") };
    await callNative(server, "POST", "/api/sessions", twice);
    await callNative(server, "POST", "/api/sessions", { ...twice, token: "page" });
    await callNative(server, "PATCH", "/api/sessions/s1", twice);
    await callNative(server, "PATCH", "/api/sessions/s2", twice);
    expect(sessions.asked.map(([name]) => name)).toEqual(["create", "create", "change", "change"]);
  });

  it("is forgotten when the command failed and may be tried again", async () => {
    const send = () => callNative(server, "POST", "/api/sessions/s1/turns", { body: { prompt: "Hi" }, ...key("k1") });
    sessions.failure = new CaretError("session-busy", "A turn runs");
    const busy = await send();
    sessions.failure = undefined;
    const started = await send();
    expect([busy.status, started.status]).toEqual([409, 202]);
  });

  it("makes a deletion repeatable", async () => {
    const send = () => callNative(server, "DELETE", "/api/sessions/s1", key("k1"));
    expect([(await send()).status, (await send()).status]).toEqual([204, 204]);
  });
});

describe("a question", () => {
  it("for the list says what to look for", async () => {
    const { body } = await callNative(server, "GET", "/api/sessions?search=a&archived=false&limit=2&after=x");
    expect([body, sessions.asked]).toEqual([
      { sessions: [await view("s1")] },
      [["list", { search: "a", archived: false, limit: 2, after: "x" }, boss]],
    ]);
  });

  it.each([
    ["/api/about", { ...blankAbout, tokenName: "page" }],
    ["/api/models", { models: [{ id: "auto", name: "Auto", isDefault: true, variants: [] }] }],
    ["/api/models?refresh=true", { models: [{ id: "fresh", name: "Auto", isDefault: true, variants: [] }] }],
    ["/api/doctor", { findings: [{ check: "gateway", state: "ok", detail: "All is well" }] }],
    ["/api/usage", { rows: [] }],
    ["/api/files?workspace=/w&query=a", { files: ["a.ts"] }],
    ["/api/sessions/s1/changes", { isRepository: false, files: [], omitted: 0 }],
  ])("at %s is answered", async (path, expected) => {
    const { status, body } = await callNative(server, "GET", path, { token: "page" });
    expect([status, body]).toEqual([200, expected]);
  });

  it("for the log gives a page from either side, with the agent's lines only when asked", async () => {
    sessions.append("s1", [{ type: "text-start", blockId: "b" }], "line 1");
    for (const text of ["a", "b", "c"]) sessions.append("s1", [{ type: "text-delta", blockId: "b", text }]);
    const seqs = async (query: string) => {
      const { body } = await callNative(server, "GET", `/api/sessions/s1/log?${query}`);
      const { events, lastSeq } = body as { events: { seq: number; raw?: string }[]; lastSeq: number };
      return [events.map(({ seq, raw }) => (raw === undefined ? seq : `${seq} ${raw}`)), lastSeq];
    };
    expect([await seqs("after=1&limit=2"), await seqs("before=4&limit=2"), await seqs("raw=true")]).toEqual([
      [[2, 3], 4],
      [[2, 3], 4],
      [["1 line 1", 2, 3, 4], 4],
    ]);
  });

  it("for a line gives the line, or 404 where there is none", async () => {
    sessions.append("s1", [{ type: "text-start", blockId: "b" }], "line 1");
    sessions.append("s1", [{ type: "text-end", blockId: "b" }]);
    const answers = await Promise.all([1, 2, 3].map((seq) => callNative(server, "GET", `/api/sessions/s1/raw/${seq}`)));
    expect([answers.map(({ status }) => status), answers[0]?.body]).toEqual([[200, 404, 404], { raw: "line 1" }]);
  });

  it.each(["", "/log", "/events", "/export", "/changes", "/raw/1", "/socket", "/editor"])(
    "about a session that does not exist (…%s) is answered with 404",
    async (path) => {
      const { status, body } = await callNative(server, "GET", `/api/sessions/nobody${path}`);
      expect([status, (body as { error: { code: ErrorCode } }).error.code]).toEqual([404, "session-not-found"]);
    },
  );
});

describe("a session as a file", () => {
  it("comes as an attachment that no browser runs", async () => {
    const { headers, body } = await callNative(server, "GET", "/api/sessions/s1/export?format=html");
    expect({
      body,
      disposition: headers.get("content-disposition"),
      isSandboxed: headers.get("content-security-policy")?.startsWith("sandbox"),
      asked: sessions.asked,
    }).toEqual({
      body: "a\nb\n",
      disposition: 'attachment; filename="s1.html"',
      isSandboxed: true,
      asked: [["export", "s1", "html", boss]],
    });
  });

  it("can be brought in again", async () => {
    const headers = { "content-type": "application/x-ndjson" };
    const answer = await callNative(server, "POST", "/api/sessions/import", { body: '{"a":1}\n', headers });
    expect([answer.status, answer.body, sessions.asked]).toEqual([
      201,
      await view("imported"),
      [["import", '{"a":1}\n', boss]],
    ]);
  });
});

describe("a token for a client", () => {
  it("is shown once, and bound like the one that asked", async () => {
    server.tokens.set("bound", { name: "bound", scopes: ["sessions"], workspace: "/w" });
    const answer = await callNative(server, "POST", "/api/tokens", { token: "bound", body: { name: "pi" } });
    expect([answer.status, answer.body, server.tokens.get("secret-of-pi")]).toEqual([
      201,
      { name: "pi", token: "secret-of-pi" },
      { name: "pi", scopes: ["turns", "models"], workspace: "/w" },
    ]);
  });
});

describe("a test of a door", () => {
  it.each(["openai", "responses", "anthropic"])("goes through %s and says what it answered", async (door) => {
    const { status, body } = await callNative(server, "POST", "/api/connect/test", { body: { door } });
    expect([status, body]).toEqual([200, { ok: true, detail: "ready", durationMs: expect.any(Number) }]);
  });

  it("has no more rights than the one who asks for it", async () => {
    const { body } = await callNative(server, "POST", "/api/connect/test", { token: "page", body: { door: "openai" } });
    expect(body).toEqual({
      ok: false,
      detail: expect.stringContaining('it lacks the scope "turns"'),
      durationMs: expect.any(Number),
    });
  });
});

describe("an error", () => {
  it.each(errorCodes)("with the code %s has a status of a failure and says all there is to say", (code) => {
    const info = new CaretError(code, "No").toInfo();
    const { status, body } = toNativeError(info);
    expect({ status: status >= 400 && status < 600, body }).toEqual({ status: true, body: { error: info } });
  });

  it("of ours says nothing of its cause", async () => {
    sessions.list = async () => Promise.reject(new TypeError("password=hunter2"));
    const { status, body } = await callNative(server, "GET", "/api/sessions");
    expect({ status, tellsSecret: JSON.stringify(body).includes("hunter2") }).toEqual({
      status: 500,
      tellsSecret: false,
    });
  });

  it("at an address below /api that does not exist has the door's shape", async () => {
    const { status, body } = await callNative(server, "GET", "/api/nowhere");
    expect([status, body]).toEqual([404, { error: expect.objectContaining({ code: "not-found", retryable: false }) }]);
  });
});
