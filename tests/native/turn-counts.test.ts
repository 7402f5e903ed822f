import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventOf, playTurn } from "./await-event.ts";
import { MortalGateway } from "./mortal-gateway.ts";

const usage = { inputTokens: 70, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 };

let gateway: MortalGateway;
beforeAll(async () => {
  gateway = await MortalGateway.start(
    {
      turns: [
        { when: "^Wait", steps: [{ text: "Here I am." }, { delay: 60_000 }] },
        { when: "", steps: [{ usage }, { text: "Done." }] },
      ],
    },
    { env: { CARET_SERVER_MAX_TURNS: "1" } },
  );
});
afterAll(() => gateway.remove());

const openai = (): OpenAI =>
  new OpenAI({ baseURL: `${gateway.process.url}/v1`, apiKey: gateway.process.token, maxRetries: 0 });

const ask = (content: string, signal?: AbortSignal) =>
  openai().chat.completions.create({ model: "auto", messages: [{ role: "user", content }] }, { signal });

/** The counters of turns, by name and labels. */
async function turnCounts(): Promise<Readonly<Record<string, number>>> {
  const { url, token } = gateway.process;
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  const samples = [...text.matchAll(/^caret_((?:turn|tokens)\S*) (\d+)$/gm)];
  return Object.fromEntries(samples.map(([, name = "", value]) => [name, Number(value)]));
}

describe("/metrics", () => {
  it("counts the ends and tokens of native turns, and of turns whose client left", async () => {
    const caret = gateway.client();
    const { id } = await caret.createSession({ permission: "full" });
    await playTurn(caret, id, "Native");
    await ask("Stateless");
    // A turn runs until its agent is gone, which its client does not wait for.
    await expect.poll(turnCounts).toMatchObject({ turns_running: 0 });
    const leaving = new AbortController();
    const left = ask("Wait for me", leaving.signal).catch(() => undefined);
    await expect.poll(turnCounts).toMatchObject({ turns_running: 1 });
    leaving.abort();
    await left;
    await expect.poll(turnCounts, { timeout: 15_000 }).toEqual({
      'turns_total{door="openai",relation="new"}': 2,
      'turn_ends_total{outcome="completed"}': 2,
      'turn_ends_total{outcome="cancelled"}': 1,
      'tokens_total{kind="input"}': 140,
      'tokens_total{kind="output"}': 18,
      'tokens_total{kind="cacheRead"}': 0,
      'tokens_total{kind="cacheWrite"}': 0,
      turns_running: 0,
    });
  });
});

describe("the limit on concurrent turns", () => {
  it("is one for native and stateless turns, says its number, and has room again after the turn", async () => {
    const caret = gateway.client();
    const { id } = await caret.createSession({ permission: "full" });
    const { turnId, firstSeq } = await caret.startTurn(id, { prompt: "Wait" });
    const refused = await ask("Stateless").catch((reason: unknown) => reason);
    expect(refused).toMatchObject({
      status: 429,
      error: { message: "Too many concurrent turns (limit 1). Wait a moment and try again.", code: "overloaded" },
    });
    const other = await caret.createSession({ permission: "full" });
    await expect(caret.startTurn(other.id, { prompt: "Native" })).rejects.toMatchObject({
      code: "overloaded",
      message: "Too many concurrent turns (limit 1)",
    });
    await caret.cancelTurn(id, turnId);
    await eventOf(caret, id, "turn-end", firstSeq);
    expect((await ask("Stateless again")).choices[0]?.message.content).toBe("Done.");
  });
});
