import { afterEach, expect, it, vi } from "vitest";
import { createNativeClient } from "./native-client.ts";

/** A browser's socket whose other end is the test. */
class TestSocket extends EventTarget {
  static readonly OPEN = 1;
  static readonly opened: TestSocket[] = [];
  readyState = 0;
  readonly sent: string[] = [];
  readonly url: string;
  readonly protocols: readonly string[];

  constructor(url: string, protocols: readonly string[]) {
    super();
    this.url = url;
    this.protocols = protocols;
    TestSocket.opened.push(this);
  }

  open(...seqs: readonly number[]): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
    this.say(...seqs);
  }

  say(...seqs: readonly number[]): void {
    for (const seq of seqs) {
      const data = JSON.stringify({ sessionId: "s", seq, turnId: "t", at: 0, event: {} });
      this.dispatchEvent(Object.assign(new Event("message"), { data }));
    }
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.dispatchEvent(new Event("close"));
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  TestSocket.opened.length = 0;
});

function follow(session: () => Response) {
  vi.stubGlobal("WebSocket", TestSocket);
  const stop = new AbortController();
  const client = createNativeClient({
    baseUrl: "https://host/caret",
    fetch: async () => session(),
    wait: async () => undefined,
    socketProtocols: () => ["caret.events", "caret.page.key"],
  });
  const batches = client.followEvents("a b", { after: 4, signal: stop.signal })[Symbol.asyncIterator]();
  const next = async () => (await batches.next()).value?.map(({ seq }: { readonly seq: number }) => seq);
  return { next, stop };
}

async function socket(index: number): Promise<TestSocket> {
  return await vi.waitUntil(() => TestSocket.opened[index]);
}

it("follows events over a socket, and goes on over the next where the last one stopped", async () => {
  const { next, stop } = follow(() => Response.json({}));
  const first = next();
  const one = await socket(0);
  one.open(5, 6);
  expect(await first).toEqual([5, 6]);
  const second = next();
  one.say(7);
  expect(await second).toEqual([7]);
  const third = next();
  one.close();
  const two = await socket(1);
  two.open(7, 8);
  expect(await third).toEqual([8]);
  expect([one.url, one.protocols, one.sent, two.sent]).toEqual([
    "wss://host/caret/api/sessions/a%20b/socket",
    ["caret.events", "caret.page.key"],
    ['{"since":4,"raw":false}'],
    ['{"since":7,"raw":false}'],
  ]);
  const last = next();
  stop.abort();
  expect(await last).toBeUndefined();
  expect(two.readyState).toBe(3);
});

it("asks over HTTP why a socket was refused, and rejects when that will not change", async () => {
  const error = { code: "session-not-found", message: "There is no such session" };
  const { next } = follow(() => Response.json({ error }, { status: 404 }));
  const first = next();
  (await socket(0)).close();
  await expect(first).rejects.toMatchObject(error);
});
