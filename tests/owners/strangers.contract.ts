import { describe, expect, it } from "vitest";
import { httpTransport, McpHost, textOf } from "../mcp/mcp-host.ts";
import { clientOf, MARK, type OwnedThings, post, type Seat, tools } from "./owned-things.ts";
import { type Schema, sampleValue } from "./sample-value.ts";
import {
  type Answer,
  ask,
  askForSocket,
  isAboutThing,
  listRoutes,
  type Route,
  strangeIds,
  withoutIds,
} from "./walk-routes.ts";

export interface Strangers {
  readonly things: OwnedThings;
  readonly anna: Seat;
  /** Another user, who may administrate the gateway, at each gateway there is. */
  readonly bert: readonly Seat[];
  /** Sees all, and says so. */
  readonly root: Seat;
  readonly workspace: string;
  /** What this gateway refuses to everybody. */
  readonly unserved?: RegExp;
}

/** What one user cannot do with what another one has. `open` is called in each test. */
export function describeStrangers(what: string, open: () => Strangers): void {
  describe(`a user who names what another has, ${what}`, () => {
    routesTests(open);
    machineTests(open);
    mcpTests(open);
    statelessTests(open);
  });
}

const holds = (text: string, { ids }: OwnedThings): readonly string[] =>
  [MARK, ...Object.values(ids).flatMap((names) => Object.values(names))].filter(
    (word) => word.length > 4 && text.includes(word),
  );

/** What is wrong about how a route answers a stranger who names these things; nothing: it says what it says of what is not there. */
async function wrongAt(seat: Seat, route: Route, { things, unserved }: Strangers): Promise<readonly string[]> {
  const nobodys = strangeIds(things.ids);
  const theirs = withoutIds(await ask(seat, route, things.ids), things.ids);
  const none = withoutIds(await ask(seat, route, nobodys), nobodys);
  // A list that is narrowed by what is not there is empty.
  const isRight = theirs.status === 404 || route.path === "/api/sessions" || unserved?.test(route.path) === true;
  const isSame = JSON.stringify(theirs) === JSON.stringify(none);
  return [
    ...(isRight && isSame ? [] : [`${route.method} ${route.path}: ${shown(theirs)}, and ${shown(none)}`]),
    ...holds(theirs.body, things).map((word) => `${route.method} ${route.path} says ${word}`),
  ];
}

function routesTests(open: () => Strangers): void {
  it("gets from every route of the router what an id gives that nobody has: 404", async () => {
    const strangers = open();
    const found: string[] = [];
    const walked: Route[] = [];
    for (const seat of strangers.bert) {
      const routes = (await listRoutes(seat)).filter(isAboutThing);
      for (const route of routes) found.push(...(await wrongAt(seat, route, strangers)));
      walked.push(...routes);
    }
    expect({ found, areMany: walked.length > 35 * strangers.bert.length }).toEqual({ found: [], areMany: true });
  });

  it("names things that are there: their owner is answered by every route that only reads", async () => {
    const { things, anna, unserved } = open();
    const routes = (await listRoutes(anna)).filter(
      (route) => route.method === "GET" && isAboutThing(route) && unserved?.test(route.path) !== true,
    );
    const missed: string[] = [];
    for (const route of routes) {
      const { status } = await ask(anna, route, things.ids);
      if (status === 404) missed.push(route.path);
    }
    // Nothing has raw lines behind its first event, which is Caret's own.
    expect(missed).toEqual(["/api/sessions/{id}/raw/{seq}"]);
  });

  it("is shown nothing of it by any list, search, total, page or figure", async () => {
    const { things, bert } = open();
    const found: string[] = [];
    for (const seat of bert) {
      const routes = (await listRoutes(seat)).filter(
        ({ method, path }) => method === "GET" && !path.includes("{") && !path.endsWith("/stream"),
      );
      for (const route of routes) {
        const { body } = await ask(seat, route, strangeIds(things.ids));
        found.push(...holds(body, things).map((word) => `GET ${route.path} says ${word}`));
      }
      const { places } = await clientOf(seat).search({ query: MARK });
      found.push(...places.map(({ sessionId }) => `a search finds ${sessionId}`));
    }
    expect(found).toEqual([]);
  });

  it("opens no WebSocket on it, and is sent changes of the user's own sessions only", async () => {
    const strangers = open();
    for (const seat of strangers.bert) {
      expect(await askForSocket(seat, strangers.things.sessionId)).toBe(404);
      const [first, ...sessions] = await hearChanges(seat, strangers);
      const users = await Promise.all(sessions.map(async (id) => (await clientOf(seat).getSession(id)).user));
      expect([first, ...new Set(users)]).toEqual(["opened", "bert"]);
    }
  });

  it("leaves it as it was, for its owner and for an administrator who sees all and is told so", async () => {
    const { things, anna, bert, root } = open();
    const own = await clientOf(anna).getSession(things.sessionId);
    expect(own).toMatchObject({ user: "anna", title: `About ${MARK}`, archived: false, status: { kind: "waiting" } });
    expect(await clientOf(root).getSession(things.sessionId)).toEqual(own);
    const abouts = await Promise.all([anna, ...bert, root].map((seat) => clientOf(seat).about()));
    expect(abouts.map(({ user, seesAll }) => [user, seesAll])).toEqual([
      ["anna", undefined],
      ...bert.map(() => ["bert", undefined]),
      [undefined, true],
    ]);
  });
}

function machineTests(open: () => Strangers): void {
  it("is refused the name of an agent or a token as one that nobody can have", async () => {
    const { bert, workspace } = open();
    const refused = async (seat: Seat, path: string, name: string): Promise<string> => {
      const { status, body } = await post(seat, path, { name, workspace });
      return `${status} ${JSON.stringify(body).replaceAll(name, "NAME")}`;
    };
    for (const seat of bert) {
      expect(await refused(seat, "/api/agents", "annas-agent")).toBe(await refused(seat, "/api/agents", "human"));
      expect(await refused(seat, "/api/tokens", "anna-laptop")).toBe(await refused(seat, "/api/tokens", "-no"));
    }
  });

  it("learns whether all is well, and nothing of what is on the machine", async () => {
    const { anna, bert, root } = open();
    for (const seat of [anna, ...bert]) {
      expect(await clientOf(seat).doctor()).toEqual([
        { check: "gateway", state: expect.any(String), detail: expect.not.stringContaining("/") },
      ]);
      const { lanes, sandbox } = await clientOf(seat).about();
      expect(lanes.filter(({ detail }) => detail !== undefined)).toEqual([]);
      expect(sandbox).toMatch(/^(?:Not contained|Contained by bubblewrap: no process of a turn outlives it)$/);
    }
    expect((await clientOf(root).doctor()).length).toBeGreaterThan(1);
  });
}

/** The sessions that a user hears of while both users change one, until it is the user's own. */
async function hearChanges(seat: Seat, { anna, things, workspace }: Strangers): Promise<readonly string[]> {
  const client = clientOf(seat);
  const { id: own } = await client.createSession({ workspace, title: "Bert's" });
  const heard: string[] = [];
  const ended = new AbortController();
  const listen = async (): Promise<void> => {
    for await (const updates of client.followUpdates({ signal: ended.signal }))
      heard.push(...updates.map((update) => (update.kind === "changed" ? update.session.id : update.kind)));
  };
  const listening = listen();
  const change = async (): Promise<boolean> => {
    // Hers first: its update would have come before that of his.
    await clientOf(anna).changeSession(things.sessionId, { pinned: true });
    await client.changeSession(own, { pinned: true });
    return heard.includes(own);
  };
  await expect.poll(change, { timeout: 20_000, interval: 300 }).toBe(true);
  ended.abort();
  await listening.catch(() => undefined);
  return [...new Set(heard)];
}

function mcpTests(open: () => Strangers): void {
  it("gets from every MCP tool and resource what a handle gives that nobody has", async () => {
    const { things, bert } = open();
    const found: string[] = [];
    for (const seat of bert) {
      const host = await McpHost.connect(httpTransport(seat));
      const { tools: listed } = await host.client.listTools();
      for (const { name, inputSchema } of listed)
        found.push(...(await wrongInTool(host, name, inputSchema as Schema, things)));
      const { resources } = await host.client.listResources();
      found.push(...holds(JSON.stringify(resources), things).map((word) => `a resource says ${word}`));
      for (const kind of ["transcript", "diff"]) {
        const reading = host.client.readResource({ uri: `caret://sessions/${things.sessionId}/${kind}` });
        await expect(reading).rejects.toThrow(`There is no session ${things.sessionId}`);
      }
      expect(listed.length).toBeGreaterThan(5);
      await host.close();
    }
    expect(found).toEqual([]);
  });
}

/** The same for a tool: it fails, and says what it says of handles that nobody has. */
async function wrongInTool(
  host: McpHost,
  name: string,
  schema: Schema,
  things: OwnedThings,
): Promise<readonly string[]> {
  const call = async (ids: OwnedThings["ids"]): Promise<Answer> => {
    const { id: session = "", requestId: request = "" } = ids["sessions"] ?? {};
    const comparison = ids["comparisons"]?.["id"] ?? "";
    const args = sampleValue(schema, { session, request, comparison, decision: "approved", pick: "1" });
    const answer = await host.raw(name, args as Record<string, unknown>);
    return withoutIds({ status: 0, type: `failed: ${answer.isError}`, body: textOf(answer) }, ids);
  };
  const [theirs, none] = [await call(things.ids), await call(strangeIds(things.ids))];
  const isRight = theirs.type === "failed: true" && theirs.body === none.body;
  return [
    ...(isRight ? [] : [`${name}: ${shown(theirs)}, and ${shown(none)}`]),
    ...holds(theirs.body, things).map((word) => `${name} says ${word}`),
  ];
}

function statelessTests(open: () => Strangers): void {
  it("goes on with no answer of the other's: an id of it is as unknown as any", async () => {
    const { things, bert } = open();
    for (const seat of bert) {
      const after = (id: string) =>
        post(seat, "/v1/responses", { model: "auto", input: "What was it?", previous_response_id: id });
      const nobodys = `resp_${crypto.randomUUID()}`;
      const [theirs, none] = await Promise.all([after(things.responseId), after(nobodys)]);
      expect([theirs.status, JSON.stringify(theirs.body).replaceAll(things.responseId, "ID")]).toEqual([
        none.status,
        JSON.stringify(none.body).replaceAll(nobodys, "ID"),
      ]);
      expect([theirs.status, theirs.body["error"]]).toMatchObject([400, { code: "previous_response_not_found" }]);
    }
  });

  it("shares no conversation and no answer under the other's conversation key or idempotency key", async () => {
    const { anna, bert } = open();
    const key = crypto.randomUUID();
    const body = { model: "auto", messages: [{ role: "user", content: `Say hello, ${key}` }] };
    const headers = { "x-session-id": key, "idempotency-key": key };
    const seats = [anna, ...bert.slice(0, 1)];
    const answers = await Promise.all(seats.map((seat) => post(seat, "/v1/chat/completions", body, headers)));
    expect(answers.map(({ status }) => status)).toEqual(seats.map(() => 200));
    expect(new Set(answers.map(({ session }) => session)).size).toBe(seats.length);
  });

  it("answers none of the other's tool calls: its turn waits on for who asked for it", async () => {
    const { things, anna, bert } = open();
    const result = (content: string) => ({ role: "tool", tool_call_id: things.callId, content });
    const bring = (seat: Seat, content: string) =>
      post(seat, "/v1/chat/completions", {
        model: "auto",
        tools,
        messages: [...things.calledMessages, result(content)],
      });
    const theirs = await Promise.all(bert.map((seat) => bring(seat, "forged by bert")));
    const own = await bring(anna, "brought by anna");
    expect(theirs.every(({ session }) => session !== own.session)).toBe(true);
    expect(JSON.stringify(own.body)).toContain("brought by anna");
    expect(JSON.stringify(own.body)).not.toContain("forged by bert");
  });
}

function shown({ status, type, body }: Answer): string {
  return `${status} ${type} ${body.slice(0, 200)}`;
}
