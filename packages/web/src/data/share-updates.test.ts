import type { FollowedUpdate, FollowOptions } from "@caret/protocol";
import { afterEach, expect, it } from "vitest";
import { shareUpdates } from "./share-updates.ts";

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

/** A lock that is handed on in turn, as a browser's is. */
function createLocks() {
  let last: Promise<unknown> = Promise.resolve();
  const request = (_: string, { signal }: LockOptions, work: () => Promise<void>): Promise<void> => {
    const mine = last.then(() => (signal?.aborted ? undefined : work()));
    last = mine.catch(() => undefined);
    return mine as Promise<void>;
  };
  return { request } as unknown as Pick<LockManager, "request">;
}

interface Stream {
  readonly say: (...updates: readonly FollowedUpdate[]) => void;
}

/** A gateway that counts who follows it. */
function createGateway() {
  const streams: Stream[] = [];
  async function* follow({ signal, onState }: FollowOptions): AsyncGenerator<readonly FollowedUpdate[]> {
    let said: FollowedUpdate[] = [{ kind: "opened" }];
    let wake = (): void => undefined;
    streams.push({
      say: (...updates) => {
        said.push(...updates);
        wake();
      },
    });
    signal.addEventListener("abort", () => wake());
    onState?.("open");
    while (!signal.aborted) {
      if (said.length > 0) yield said.splice(0);
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (said.length > 0 || signal.aborted) resolve();
      });
    }
    said = [];
  }
  return { streams, follow };
}

function openTab(name: string, gateway: ReturnType<typeof createGateway>, locks: Pick<LockManager, "request">) {
  const stop = new AbortController();
  stops.push(stop);
  const heard: string[] = [];
  let look = (): void => undefined;
  const onUpdates = (updates: readonly FollowedUpdate[]): void => {
    heard.push(...updates.map((item) => (item.kind === "deleted" ? item.sessionId : item.kind)));
    look();
  };
  void shareUpdates({ follow: gateway.follow, locks, name, signal: stop.signal, onUpdates, onState: () => undefined });
  const hears = (...wanted: readonly string[]): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (wanted.every((word, index) => heard[index] === word)) resolve();
      };
      look();
    });
  return { stop, heard, hears };
}

const deleted = (sessionId: string): FollowedUpdate => ({ kind: "deleted", sessionId });

it("follows once for all tabs, and each hears that its line is open", async () => {
  const gateway = createGateway();
  const locks = createLocks();
  const first = openTab("one", gateway, locks);
  await first.hears("opened");
  const second = openTab("one", gateway, locks);
  await second.hears("opened");
  gateway.streams[0]?.say(deleted("a"));
  await Promise.all([first.hears("opened", "a"), second.hears("opened", "a")]);
  expect(gateway.streams.length).toBe(1);
});

it("goes on in another tab when the one that followed is closed", async () => {
  const gateway = createGateway();
  const locks = createLocks();
  const first = openTab("two", gateway, locks);
  await first.hears("opened");
  const second = openTab("two", gateway, locks);
  await second.hears("opened");
  first.stop.abort();
  await second.hears("opened", "opened");
  gateway.streams[1]?.say(deleted("b"));
  await second.hears("opened", "opened", "b");
  expect(gateway.streams.length).toBe(2);
});
