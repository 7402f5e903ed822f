import type { EventEnvelope, SessionView } from "@caret/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { createPageData, type PageData } from "./create-page-data.ts";
import type { PageState } from "./page-state.ts";
import { waitingSessions } from "./session-list.ts";

const session: SessionView = {
  id: "s",
  title: "Fix",
  workspace: "/w",
  permission: "auto",
  createdAt: 0,
  updatedAt: 1,
  archived: false,
  lastSeq: 3,
  lastLine: "",
  status: { kind: "idle" },
};
const about = { version: "1", lanes: [], workspaces: [] };
const opened: PageData[] = [];

afterEach(async () => {
  for (const data of opened.splice(0)) await data.signOut();
});

/** A gateway that answers by path, where nothing listens for sockets; a path without a scripted answer does not exist. */
function openPage(answers: Readonly<Record<string, () => Response>>, stored: Readonly<Record<string, string>> = {}) {
  const kept = new Map(Object.entries(stored));
  const asked: string[] = [];
  const all: typeof answers = { "sign-out": () => new Response(null, { status: 204 }), ...answers };
  const data = createPageData({
    baseUrl: "http://127.0.0.1:9/x/",
    fetch: async (input, init) => {
      const path = String(input).replace("http://127.0.0.1:9/x/api/", "");
      asked.push(`${path} ${new Headers(init?.headers).get("x-caret-page")}`);
      const answer = all[path.replace(/\?.*/, "")];
      return answer === undefined ? refuse("not-found", 404) : answer();
    },
    storage: {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, value) => void kept.set(name, value),
      removeItem: (name) => void kept.delete(name),
    },
    now: () => 0,
    isHidden: () => false,
    onVisibility: () => () => undefined,
    nextFrame: queueMicrotask,
    locks: undefined,
  });
  opened.push(data);
  return { data, kept, asked };
}

const refuse = (code: string, status: number) => Response.json({ error: { code, message: "No" } }, { status });
const silentStream = () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
const gateway = {
  "sessions/stream": silentStream,
  about: () => Response.json(about),
  sessions: () => Response.json({ sessions: [session] }),
  "sign-in": () => Response.json({ pageKey: "half" }),
};
const KEY = "caret.page-key /x/";

function becomes(data: PageData, isTrue: (state: PageState) => boolean): Promise<PageState> {
  return new Promise((resolve) => {
    const look = (state: PageState): void => {
      if (isTrue(state)) resolve(state);
    };
    look(data.store.getState());
    data.store.subscribe(look);
  });
}

describe("signing in", () => {
  it("asks for nothing without a key", () => {
    const { data, asked } = openPage(gateway);
    data.start();
    expect([data.store.getState().signIn, asked]).toEqual(["out", []]);
  });

  it("takes the code once, keeps the key, and reads what there is", async () => {
    const { data, kept, asked } = openPage(gateway);
    await data.signIn("code");
    const { sessions } = await becomes(data, ({ signIn }) => signIn === "in");
    expect([...sessions.keys()]).toEqual(["s"]);
    expect(kept.get(KEY)).toBe("half");
    expect(asked).toEqual([
      "sign-in ",
      "sessions/stream half",
      "about half",
      "sessions?archived=false&limit=100 half",
      "sessions?archived=false&pinned=true&limit=100 half",
      "sessions?active=true&limit=500 half",
    ]);
  });

  it("shows what waits for a person, however many sessions are newer", async () => {
    const status = { kind: "waiting", turnId: "t", since: 0, waitsFor: "question", about: "Which?" } as const;
    const pages: Readonly<Record<string, readonly SessionView[]>> = {
      "sessions?active=true&limit=500": [{ ...session, id: "old", status }],
    };
    const { data, asked } = openPage(
      {
        ...gateway,
        sessions: () => Response.json({ sessions: pages[asked.at(-1)?.replace(" k", "") ?? ""] ?? [session] }),
      },
      { [KEY]: "k" },
    );
    data.start();
    const { sessions, listed } = await becomes(data, ({ signIn }) => signIn === "in");
    expect([waitingSessions(sessions).map(({ id }) => id), [...listed]]).toEqual([["old"], ["s"]]);
  });

  it("says why a code does not work, and forgets nobody who was signed in", async () => {
    const { data, kept } = openPage({ ...gateway, "sign-in": () => refuse("unauthenticated", 401) }, { [KEY]: "old" });
    await data.signIn("worn");
    const state = await becomes(data, ({ signIn }) => signIn === "in");
    expect([state.signInError?.code, kept.get(KEY)]).toEqual(["unauthenticated", "old"]);
  });

  it("clears everything when the gateway no longer knows the browser", async () => {
    const { data, kept } = openPage({ ...gateway, doctor: () => refuse("unauthenticated", 401) }, { [KEY]: "old" });
    data.start();
    await becomes(data, ({ signIn }) => signIn === "in");
    await expect(data.api.doctor()).rejects.toMatchObject({ code: "unauthenticated" });
    const { signIn, signInError, sessions, about: known } = data.store.getState();
    expect([signIn, signInError?.code, sessions.size, known, kept.size]).toEqual([
      "out",
      "unauthenticated",
      0,
      undefined,
      0,
    ]);
  });
});

const envelope = (seq: number): EventEnvelope => ({
  sessionId: "s",
  seq,
  turnId: "t",
  at: seq,
  event: { type: "notice", kind: "retry", message: String(seq) },
});

describe("an open session", () => {
  it("shows the newest part of its log, and older parts when asked", async () => {
    const pages = [[envelope(2), envelope(3)], [envelope(1)]];
    const log = () => Response.json({ events: pages.shift(), lastSeq: 3 });
    const { data, asked } = openPage(
      { ...gateway, "sessions/s/log": log, "sessions/s": () => Response.json(session) },
      { [KEY]: "k" },
    );
    data.start();
    await becomes(data, ({ signIn }) => signIn === "in");
    data.logs.open("s");
    const first = (await becomes(data, ({ logs }) => logs.get("s")?.state === "ready")).logs.get("s");
    expect({ hasOlder: first?.hasOlder, itemsCount: first?.transcript.turns[0]?.items.length }).toEqual({
      hasOlder: true,
      itemsCount: 2,
    });
    await data.logs.loadOlder("s");
    const second = data.store.getState().logs.get("s");
    expect({
      hasOlder: second?.hasOlder,
      isLoadingOlder: second?.isLoadingOlder,
      itemsCount: second?.transcript.turns[0]?.items.length,
    }).toEqual({ hasOlder: false, isLoadingOlder: false, itemsCount: 3 });
    expect(asked.filter((path) => path.startsWith("sessions/s/log"))).toEqual([
      "sessions/s/log?before=999999999999999&limit=500 k",
      "sessions/s/log?before=2&limit=1000 k",
    ]);
  });

  it("has a long answer whole when it is first shown, however many events it is", async () => {
    const says = (seq: number, text: string): EventEnvelope => ({
      ...envelope(seq),
      event: { type: "text-delta", blockId: "b", text },
    });
    const pages = [[says(3, "` is code")], [says(2, "`this")]];
    const log = () => Response.json({ events: pages.shift(), lastSeq: 3 });
    const { data } = openPage({ ...gateway, "sessions/s/log": log }, { [KEY]: "k" });
    data.start();
    await becomes(data, ({ signIn }) => signIn === "in");
    data.logs.open("s");
    const { logs } = await becomes(data, ({ logs }) => logs.get("s")?.state === "ready");
    expect(logs.get("s")?.transcript.turns[0]?.items).toMatchObject([{ kind: "text", text: "`this` is code" }]);
  });

  it("says that it is gone", async () => {
    const { data } = openPage({ ...gateway, "sessions/s/log": () => refuse("session-not-found", 404) }, { [KEY]: "k" });
    data.start();
    await becomes(data, ({ signIn }) => signIn === "in");
    data.logs.open("s");
    const { logs } = await becomes(data, ({ logs }) => logs.get("s")?.state === "failed");
    expect(logs.get("s")?.error?.code).toBe("session-not-found");
  });
});

it("searches as one types: the newest question wins", async () => {
  const { data } = openPage(gateway, { [KEY]: "k" });
  data.start();
  await becomes(data, ({ signIn }) => signIn === "in");
  data.search("f", false);
  data.search("fi", false);
  const { found } = await becomes(data, ({ found }) => found?.isLoading === false);
  expect([found?.search, found?.ids]).toEqual(["fi", ["s"]]);
  data.search("", false);
  expect(data.store.getState().found).toBeUndefined();
});
