import OpenAI, { APIError, APIUserAbortError, OpenAIError } from "openai";
import type { ChatCompletionMessage, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { Address, AskedCall } from "./dialogue/dialogue.ts";
import { type Kitchen, kitchenTools } from "./dialogue/kitchen-tools.ts";

const RETRIES = 3;
/** A client that waits longer than this for one answer would be taken for stuck. */
const PATIENCE_MS = 60_000;

const tools = kitchenTools.map(({ name, description, schema }) => ({
  type: "function" as const,
  function: { name, description, parameters: { ...schema } },
}));

export interface PatientClientOptions {
  readonly task: string;
  readonly kitchen: Kitchen;
  readonly isStreaming: boolean;
  /** Where to ask. Waits while there is nobody to ask, as a client that backs off does. */
  readonly address: () => Promise<Address>;
  /** A request goes out: the how manieth it is. */
  readonly onRequest?: (count: number) => void;
}

export interface TaskReport {
  /** The last words, or what the last failure was when all retries were used up. */
  readonly end:
    | { readonly kind: "answer"; readonly text: string }
    | { readonly kind: "failure"; readonly reason: string };
  /** Every call the client ran, each time it did. */
  readonly ran: readonly AskedCall[];
  /** The ids of calls that were asked for after their results had been sent. */
  readonly askedAgain: readonly string[];
  readonly retries: readonly string[];
}

/**
 * A loop as agents' authors write them over chat completions: it runs the tools it is asked for, sends the whole
 * transcript each time, and asks the same once more, at most three times, when a request breaks.
 */
export async function runPatientClient(options: PatientClientOptions): Promise<TaskReport> {
  const messages: ChatCompletionMessageParam[] = [{ role: "user", content: options.task }];
  const [ran, askedAgain, retries, sent] = [[] as AskedCall[], [] as string[], [] as string[], new Set<string>()];
  let count = 0;
  const askOnce = async (): Promise<ChatCompletionMessage> => {
    const address = await options.address();
    count += 1;
    options.onRequest?.(count);
    return await ask(address, messages, options.isStreaming);
  };
  try {
    for (;;) {
      const message = await persist(askOnce, retries);
      messages.push(message);
      const calls = callsOf(message);
      if (calls.length === 0) return { end: { kind: "answer", text: message.content ?? "" }, ran, askedAgain, retries };
      for (const call of calls) {
        if (sent.has(call.callId)) askedAgain.push(call.callId);
        ran.push(call);
        sent.add(call.callId);
        const content = options.kitchen.run(call.name, call.input);
        messages.push({ role: "tool", tool_call_id: call.callId, content });
      }
    }
  } catch (reason) {
    return { end: { kind: "failure", reason: String(reason) }, ran, askedAgain, retries };
  }
}

async function persist<Value>(attempt: () => Promise<Value>, retries: string[]): Promise<Value> {
  for (let left = RETRIES; ; left -= 1)
    try {
      return await attempt();
    } catch (reason) {
      if (left === 0 || !isWorthRetrying(reason)) throw reason;
      retries.push(String(reason));
    }
}

/**
 * What breaks in the middle of an answer has no status any more, and 424 is an agent that did not finish: final for a
 * program, but the user of this one asks again. A wait that took too long is not tried again.
 */
function isWorthRetrying(reason: unknown): boolean {
  if (reason instanceof APIUserAbortError) return false;
  if (reason instanceof APIError) return reason.status === undefined || reason.status === 424 || reason.status >= 500;
  return reason instanceof OpenAIError || reason instanceof TypeError;
}

async function ask(
  { url, token }: Address,
  messages: readonly ChatCompletionMessageParam[],
  isStreaming: boolean,
): Promise<ChatCompletionMessage> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  const request = { model: "auto", messages: [...messages], tools };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const completion = isStreaming
    ? await client.chat.completions.stream(request, { signal }).finalChatCompletion()
    : await client.chat.completions.create(request, { signal });
  const message = completion.choices[0]?.message;
  if (message === undefined) throw new Error("The answer has no message");
  return message;
}

function callsOf({ tool_calls = [] }: ChatCompletionMessage): readonly AskedCall[] {
  return tool_calls.flatMap((call) =>
    call.type === "function"
      ? [{ callId: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }]
      : [],
  );
}
