import { execFile } from "node:child_process";
import { request } from "node:http";
import { promisify } from "node:util";
import { createNativeClient, type NativeClient, type SessionView } from "@caret/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MortalGateway } from "./mortal-gateway.ts";
import { caretCommand } from "./run-in-terminal.ts";

let gateway: MortalGateway;
let caret: NativeClient;
beforeAll(async () => {
  gateway = await MortalGateway.start({ turns: [[{ text: "Working. " }, { delay: 700 }, { text: "Done." }]] });
  caret = gateway.client();
});
afterAll(() => gateway.remove());

const newSession = (): Promise<SessionView> => caret.createSession({ permission: "full" });

interface Answer {
  readonly status: number;
  readonly isReplayed: boolean;
  readonly body: unknown;
}

async function send(method: string, path: string, key: string, body?: object): Promise<Answer> {
  const { url, token } = gateway.process;
  const response = await fetch(`${url}/api/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "idempotency-key": key,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    isReplayed: response.headers.get("idempotency-replayed") === "true",
    body: text === "" ? undefined : JSON.parse(text),
  };
}

/** Sends a command and is gone as soon as the session shows that it arrived. */
async function sendAndLeave(session: SessionView, key: string, body: object): Promise<void> {
  const { url, token } = gateway.process;
  const sent = request(`${url}/api/sessions/${session.id}/turns`, {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
  });
  sent.on("error", () => undefined);
  sent.end(JSON.stringify(body));
  await expect.poll(async () => (await caret.getSession(session.id)).lastSeq, { timeout: 10_000 }).not.toBe(0);
  sent.destroy();
}

/** As `caret token create` does it. */
async function createToken(name: string, scope: string): Promise<string> {
  const args = [caretCommand, "token", "create", name, "--scope", scope];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: gateway.home.environment() });
  return stdout.trim();
}

/** How the turns of a session ended, oldest first, once none is running. */
async function endsOf({ id }: SessionView): Promise<readonly string[]> {
  await expect.poll(async () => (await caret.getSession(id)).status.kind, { timeout: 15_000 }).toBe("ended");
  const { events } = await caret.readLog(id, { limit: 10_000 });
  const starts = events.filter(({ event }) => event.type === "turn-start").length;
  const ends = events.flatMap(({ event }) => {
    if (event.type !== "turn-end") return [];
    return [event.outcome.kind === "failed" ? event.outcome.error.code : event.outcome.kind];
  });
  expect(ends.length).toBe(starts);
  return ends;
}

it("a prompt that is sent twice at the same time is one turn, and both get its id", async () => {
  const session = await newSession();
  const start = () => send("POST", `sessions/${session.id}/turns`, "twice", { prompt: "Once" });
  const answers = await Promise.all([start(), start(), start()]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(answers.filter(({ isReplayed }) => isReplayed).length).toBe(2);
  expect(await endsOf(session)).toEqual(["completed"]);
});

it("a prompt whose answer was lost is one turn, however late it is sent again", async () => {
  const session = await newSession();
  await sendAndLeave(session, "lost", { prompt: "Once" });
  const path = `sessions/${session.id}/turns`;
  const [running, ended] = [
    await send("POST", path, "lost", { prompt: "Once" }),
    await endsOf(session).then(() => send("POST", path, "lost", { prompt: "Once" })),
  ];
  expect(running).toMatchObject({ status: 202, isReplayed: true, body: { sessionId: session.id, firstSeq: 1 } });
  expect(ended).toEqual(running);
  expect(await endsOf(session)).toEqual(["completed"]);
});

it("a prompt with a key that was used for another is refused, and nothing is done", async () => {
  const session = await newSession();
  const path = `sessions/${session.id}/turns`;
  await send("POST", path, "mine", { prompt: "This" });
  expect(await send("POST", path, "mine", { prompt: "That" })).toMatchObject({ status: 422 });
  expect(await endsOf(session)).toEqual(["completed"]);
});

it("a session is made, changed, forked and deleted once for each key", async () => {
  const make = () => send("POST", "sessions", "make", { title: "Made once" });
  const [first, second] = [await make(), await make()];
  expect([first.status, second]).toEqual([201, { ...first, isReplayed: true }]);
  expect((await caret.listSessions({ search: "Made once" })).sessions.length).toBe(1);
  const { id } = first.body as SessionView;
  const fork = () => send("POST", `sessions/${id}/fork`, "fork", { title: "Forked once" });
  expect((await fork()).body).toEqual((await fork()).body);
  expect((await caret.listSessions({ search: "Forked once" })).sessions.length).toBe(1);
  const remove = () => send("DELETE", `sessions/${id}`, "remove");
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
  expect(await send("DELETE", `sessions/${id}`, "another")).toMatchObject({ status: 404 });
});

it("keys of another token are other keys", async () => {
  const { url } = gateway.process;
  const make = async (caretOf: NativeClient) =>
    (await caretOf.createSession({ title: "Each their own" }, { idempotencyKey: "shared" })).id;
  const headers = { authorization: `Bearer ${await createToken("beside", "sessions")}` };
  const [ours, theirs] = [await make(caret), await make(createNativeClient({ baseUrl: url, headers }))];
  expect(theirs).not.toBe(ours);
});

it("a prompt that is sent again to a gateway that was killed and came back is still one turn", async () => {
  const session = await newSession();
  const path = `sessions/${session.id}/turns`;
  const first = await send("POST", path, "killed", { prompt: "Once after all" });
  await gateway.dieAndReturn();
  const again = () => send("POST", path, "killed", { prompt: "Once after all" });
  expect([first.status, await again(), await again()]).toEqual([
    202,
    { ...first, isReplayed: true },
    { ...first, isReplayed: true },
  ]);
  expect(await send("POST", path, "killed", { prompt: "Something else" })).toMatchObject({ status: 422 });
  expect(await endsOf(session)).toEqual(["interrupted"]);
});

it("the typed client does not double a turn when the gateway is killed before it has answered", async () => {
  const session = await newSession();
  let sent = 0;
  const { url, token } = gateway.process;
  const client = createNativeClient({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
    async fetch(...request) {
      const answer = await fetch(...request);
      if (++sent > 1) return answer;
      // The turn has begun, and its answer is lost with the gateway.
      await gateway.dieAndReturn();
      throw new TypeError("fetch failed");
    },
  });
  const turn = await client.startTurn(session.id, { prompt: "Once, by the typed client" });
  expect({ sent, turn }).toEqual({ sent: 2, turn: { sessionId: session.id, turnId: turn.turnId, firstSeq: 1 } });
  expect(await endsOf(session)).toEqual(["interrupted"]);
});

it("sessions are made, forked and deleted once although the gateway was killed in between", async () => {
  const make = () => send("POST", "sessions", "make-k", { title: "Made before the kill" });
  const made = await make();
  const { id } = made.body as SessionView;
  const fork = () => send("POST", `sessions/${id}/fork`, "fork-k", { title: "Forked before the kill" });
  const forked = await fork();
  await gateway.dieAndReturn();
  expect([await make(), await fork()]).toEqual([
    { ...made, isReplayed: true },
    { ...forked, isReplayed: true },
  ]);
  expect((await caret.listSessions({ search: "before the kill" })).sessions.length).toBe(2);
  const remove = () => send("DELETE", `sessions/${id}`, "remove-k");
  expect((await remove()).status).toBe(204);
  await gateway.dieAndReturn();
  expect(await remove()).toEqual({ status: 204, isReplayed: true, body: undefined });
});
