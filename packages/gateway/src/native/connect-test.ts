import type { ConnectTest, ConnectTestResult } from "@caret/protocol";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { readPageSecret } from "../access/authenticate.ts";
import { SIDE_CALL_HEADER } from "../chat/door-headers.ts";
import { requestContextOf } from "../http/request-context.ts";

const PATIENCE_MS = 120_000;
const MAX_DETAIL = 300;
const prompt = "This is a test of the connection. Answer with the single word: ready";
const messages = [{ role: "user", content: prompt }];

/** Each door's test request, and where its answer has the text. */
const doors = {
  openai: {
    url: "/v1/chat/completions",
    payload: { messages },
    answer: z
      .object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) })
      .transform(({ choices: [{ message }] }) => message.content),
  },
  responses: {
    url: "/v1/responses",
    payload: { input: prompt, store: false },
    answer: z
      .object({ output: z.array(z.object({ content: z.array(z.object({ text: z.string().optional() })).optional() })) })
      .transform(({ output }) => output.flatMap(({ content = [] }) => content.map(({ text = "" }) => text)).join("")),
  },
  anthropic: {
    url: "/v1/messages",
    payload: { messages, max_tokens: 100 },
    answer: z
      .object({ content: z.array(z.object({ text: z.string().optional() })) })
      .transform(({ content }) => content.map(({ text = "" }) => text).join("")),
  },
} as const satisfies Record<ConnectTest["door"], object>;

const failure = z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message);

/** Headers that identify the caller: the test runs with the caller's rights. */
const CREDENTIALS = ["authorization", "x-api-key"];

function credentialsOf({ headers }: FastifyRequest): Readonly<Record<string, unknown>> {
  const sent = Object.entries(headers).filter(([name]) => CREDENTIALS.includes(name));
  // A page's halves depend on the port it used, which a request inside this process does not have.
  const page = readPageSecret(headers);
  return sent.length > 0 || page === undefined ? Object.fromEntries(sent) : { authorization: `Bearer ${page}` };
}

/** A complete request through one of our own doors, including the token check, as a client would send it. */
export async function testDoor(
  door: ConnectTest["door"],
  request: FastifyRequest,
  now: () => number,
): Promise<ConnectTestResult> {
  const { url, payload, answer } = doors[door];
  const started = now();
  const signal = AbortSignal.any([requestContextOf(request).signal, AbortSignal.timeout(PATIENCE_MS)]);
  const resultOf = (ok: boolean, detail: string): ConnectTestResult => ({
    ok,
    detail: detail.trim().slice(0, MAX_DETAIL),
    durationMs: now() - started,
  });
  try {
    const headers = {
      ...credentialsOf(request),
      host: "localhost",
      "content-type": "application/json",
      // A test must not leave a session behind.
      [SIDE_CALL_HEADER]: "true",
    };
    const response = await request.server.inject({ method: "POST", url, headers, payload, signal });
    const body: unknown = JSON.parse(response.body);
    const text = answer.safeParse(body);
    if (response.statusCode === 200 && text.success) return resultOf(true, text.data);
    return resultOf(false, failure.safeParse(body).data ?? `The door answered with status ${response.statusCode}.`);
  } catch (reason) {
    return resultOf(false, reason instanceof Error ? reason.message : "The door did not answer.");
  }
}
