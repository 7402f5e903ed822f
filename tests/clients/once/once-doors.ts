import Anthropic from "@anthropic-ai/sdk";
import { CaretError, createNativeClient, type EventEnvelope } from "@caret/protocol";
import OpenAI from "openai";
import { type DoorUnderTest, IMPATIENT_MS, type OnceCase } from "./once-case.ts";
import type { OnceStage } from "./once-stage.ts";

/** One HTTP request of a client, as it was answered. `status` is undefined where the connection broke. */
export interface Attempt {
  readonly status: number | undefined;
  readonly shouldRetry: string | null;
  readonly body: () => string;
}

export interface Asking {
  readonly stage: OnceStage;
  readonly given: OnceCase;
  readonly prompt: string;
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  /** All requests so far, in their order. */
  readonly attempts: Attempt[];
}

/** Asks as a program would that runs its own tools, with the SDK's default retries; gives the last words, or throws. */
type Ask = (asking: Asking) => Promise<string>;

const tool = { name: "pay", description: "Pays the bill", schema: { type: "object", properties: {} } } as const;

export const ask: Readonly<Record<DoorUnderTest, Ask>> = {
  async chat(asking) {
    const { stage, given, signal } = asking;
    const client = await openai(asking);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: asking.prompt }];
    const { name, description, schema: parameters } = tool;
    const tools =
      given.owner === "client"
        ? { tools: [{ type: "function" as const, function: { name, description, parameters } }] }
        : {};
    for (let round = 1; ; round += 1) {
      const request = { model: stage.model, messages: [...messages], ...tools };
      const how = { signal, headers: headersOf(asking, round) };
      const { choices } = given.isStreaming
        ? await client.chat.completions.stream(request, how).finalChatCompletion()
        : await client.chat.completions.create(request, how);
      const message = choices[0]?.message;
      if (message?.tool_calls === undefined || message.tool_calls.length === 0) return message?.content ?? "";
      messages.push(message);
      for (const { id } of message.tool_calls) messages.push({ role: "tool", tool_call_id: id, content: stage.pay() });
    }
  },

  async responses(asking) {
    const { stage, given, signal } = asking;
    const client = await openai(asking);
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: asking.prompt }];
    const { name, description, schema: parameters } = tool;
    const tools =
      given.owner === "client"
        ? { tools: [{ type: "function" as const, name, description, parameters, strict: false }] }
        : {};
    for (let round = 1; ; round += 1) {
      const request = { model: stage.model, input: [...input], ...tools };
      const how = { signal, headers: headersOf(asking, round) };
      const response = given.isStreaming
        ? await client.responses.stream(request, how).finalResponse()
        : await client.responses.create(request, how);
      const calls = response.output.flatMap((item) => (item.type === "function_call" ? [item] : []));
      if (response.status === "failed") throw new Error(response.error?.message);
      if (calls.length === 0) return response.output_text;
      input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
      for (const { call_id } of calls) input.push({ type: "function_call_output", call_id, output: stage.pay() });
    }
  },

  async messages(asking) {
    const { stage, given, signal } = asking;
    const { url, token } = await stage.running();
    const client = new Anthropic({ baseURL: url, apiKey: token, fetch: impatientFetch(asking), ...patienceOf(asking) });
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: asking.prompt }];
    const { name, description, schema: input_schema } = tool;
    const tools = given.owner === "client" ? { tools: [{ name, description, input_schema }] } : {};
    for (let round = 1; ; round += 1) {
      const request = { model: stage.model, max_tokens: 1_000, messages: [...messages], ...tools };
      const how = { signal, headers: headersOf(asking, round) };
      const { content } = given.isStreaming
        ? await client.messages.stream(request, how).finalMessage()
        : await client.messages.create(request, how);
      const calls = content.filter((block) => block.type === "tool_use");
      if (calls.length === 0) return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
      messages.push({ role: "assistant", content });
      const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: stage.pay() }));
      messages.push({ role: "user", content: results });
    }
  },

  async native(asking) {
    const { stage, given, signal, prompt } = asking;
    const { url, token } = await stage.running();
    const fetch = impatientFetch(asking);
    const caret = createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` }, fetch });
    const { workspace } = stage;
    const session = await caret.createSession(
      { workspace, model: stage.model, permission: given.owner === "agent" ? "full" : "auto" },
      { idempotencyKey: `session ${prompt}`.replaceAll(/\W/g, "") },
    );
    const how = { signal, ...(asking.key === undefined ? {} : { idempotencyKey: asking.key }) };
    const { firstSeq, turnId } = await caret.startTurn(session.id, { prompt }, how);
    return await wordsOf(caret.followEvents(session.id, { after: firstSeq - 1, signal }), turnId);
  },
};

/** What a turn says, up to its end. */
async function wordsOf(batches: AsyncIterable<readonly EventEnvelope[]>, turnId: string): Promise<string> {
  let said = "";
  for await (const events of batches)
    for (const { event } of events.filter((envelope) => envelope.turnId === turnId)) {
      if (event.type === "text-delta") said += event.text;
      if (event.type !== "turn-end") continue;
      if (event.outcome.kind === "failed") throw CaretError.fromInfo(event.outcome.error);
      return said;
    }
  throw new Error("The session ended before its turn");
}

async function openai(asking: Asking): Promise<OpenAI> {
  const { url, token } = await asking.stage.running();
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: token, fetch: impatientFetch(asking), ...patienceOf(asking) });
}

/** The SDKs send a request again by themselves that took too long. */
function patienceOf({ given }: Asking): { readonly timeout?: number } {
  return given.failure === "client impatient" ? { timeout: IMPATIENT_MS } : {};
}

/** Every round is a request of its own, with a key of its own. */
function headersOf({ given, key, stage }: Asking, round: number): Record<string, string> {
  return {
    "x-caret-tools": given.owner,
    "x-caret-workspace": stage.workspace,
    ...(key === undefined ? {} : { "idempotency-key": `${key}-${round}` }),
  };
}

/** Waits for the gateway where it was killed, and never as long as a `retry-after` says. */
function impatientFetch({ stage, attempts, signal }: Asking): typeof fetch {
  return async (input, init) => {
    await stage.running();
    if (signal.aborted) throw signal.reason;
    let response: Response;
    try {
      response = await fetch(input, init);
    } catch (reason) {
      attempts.push({ status: undefined, shouldRetry: null, body: () => "" });
      throw reason;
    }
    let body = "";
    const headers = new Headers(response.headers);
    attempts.push({ status: response.status, shouldRetry: headers.get("x-should-retry"), body: () => body });
    headers.delete("retry-after");
    headers.set("retry-after-ms", "20");
    if (!response.ok) body = await response.text();
    return new Response(response.ok ? response.body : body, { status: response.status, headers });
  };
}
