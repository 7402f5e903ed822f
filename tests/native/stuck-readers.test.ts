import type { ScenarioInput } from "@caret/simulator";
import { expect, it, onTestFinished } from "vitest";
import { playTurn } from "./await-event.ts";
import { client, clientOverSocket } from "./client-readers.ts";
import { Received } from "./event-reader.ts";
import { MortalGateway } from "./mortal-gateway.ts";
import { socket } from "./socket-readers.ts";
import { sseByHeader } from "./sse-readers.ts";
import { UnreliableLine } from "./unreliable-line.ts";
import { differenceOf, logOf } from "./whole-log.ts";

/** Half a minute by default, which is longer than this has to wait for. */
const STUCK_READER_MS = 1_000;
const PIECES = 120;
/** All pieces are more than the buffers between the gateway and a reader that takes nothing. */
const scenario: ScenarioInput = { turns: [[{ text: `${"x".repeat(120_000)} `, repeat: PIECES, tokensPerDelta: 1 }]] };

let gateway: MortalGateway;
let line: UnreliableLine;
const stop = new AbortController();

async function cutReaders(): Promise<number> {
  const { url, token } = gateway.process;
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  return Number(/^caret_slow_readers_total(?:\{.*\})? (\d+)$/m.exec(text)?.[1] ?? 0);
}

it("a reader that takes nothing is cut by the gateway, and then reads on exactly", async () => {
  const env = { CARET_SERVER_STUCK_READER_MS: String(STUCK_READER_MS) };
  gateway = await MortalGateway.start(scenario, { env });
  onTestFinished(() => gateway.remove());
  line = await UnreliableLine.open({ gateway: () => gateway.process, random: Math.random });
  onTestFinished(() => line.close());
  onTestFinished(() => stop.abort());
  const caret = gateway.client();
  const { id } = await caret.createSession({ permission: "full" });
  await playTurn(caret, id, "Say a lot");
  const log = await logOf(caret, id);

  line.block();
  const readers = [sseByHeader, socket, client, clientOverSocket].map((read) => {
    const received = new Received();
    const options = { baseUrl: line.url, sessionId: id, random: Math.random, signal: stop.signal };
    return { received, done: read(options, received) };
  });
  await expect.poll(cutReaders, { timeout: 60_000, interval: 500 }).toBe(readers.length);
  expect(readers.filter(({ received }) => received.texts.length >= log.length)).toEqual([]);
  line.unblock();
  for (const { received } of readers)
    await expect.poll(() => received.texts.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(log.length);
  expect(readers.map(({ received }) => differenceOf(log, received.texts))).toEqual(readers.map(() => undefined));
  stop.abort();
  await Promise.all(readers.map(({ done }) => done));
}, 180_000);
