import { afterAll, beforeAll, expect, it } from "vitest";
import type { DoorPath } from "./bad-bodies.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";
import { type RequestShape, requestShapes } from "./request-shapes.ts";

const home = new GatewayHome({ turns: [[{ text: "Four." }]] });
let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

async function send({ door, query = "", headers = {}, body }: RequestShape, extra: object = {}) {
  const response = await fetch(gateway.url + door + query, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}`, ...headers },
    body: JSON.stringify({ ...body, ...extra }),
  });
  return { status: response.status, text: await response.text() };
}

/** The end without which a client of this door waits, asks again or fails. */
const ends: Readonly<Record<DoorPath, RegExp>> = {
  "/v1/chat/completions": /"content":"Four\."[\s\S]*"finish_reason":"stop"[\s\S]*data: \[DONE\]\n\n$/,
  "/v1/responses":
    /"delta":"Four\."[\s\S]*event: response\.completed\ndata: .*"usage":\{"input_tokens".*\n\ndata: \[DONE\]\n\n$/,
  "/v1/messages":
    /"text":"Four\."[\s\S]*"stop_reason":"end_turn"[\s\S]*"output_tokens"[\s\S]*event: message_stop\n.*\n\n$/,
};

it.each(requestShapes)("answers $client, and ends the stream properly", async (shape) => {
  const { status, text } = await send(shape);
  expect([status, text]).toEqual([200, expect.stringMatching(ends[shape.door])]);
});

it.each(["/v1/chat/completions", "/v1/responses", "/v1/messages"] as const)(
  "ignores at %s what it does not know, and answers whole when no stream is wanted",
  async (door) => {
    const messages = [{ role: "user", content: "hello", name: "ada", a_field_of_next_year: [1] }];
    const body = { model: "auto", messages, input: messages, max_tokens: 9, seed: 7, user: "ada", top_k: 3 };
    const unknown = { a_field_of_next_year: { deep: [null] }, service_tier: "flex", safety_identifier: "x" };
    const { status, text } = await send({ client: "any client", door, body }, unknown);
    expect([status, JSON.stringify(JSON.parse(text))]).toEqual([200, expect.stringContaining('"Four."')]);
  },
);
