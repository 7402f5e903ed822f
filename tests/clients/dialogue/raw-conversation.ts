import type { Address, AskedCall, GivenResult } from "./dialogue.ts";
import { kitchenTools } from "./kitchen-tools.ts";

export type Door = "chat completions" | "responses" | "messages";

/** One entry of a transcript, before it is put into the shape of a door. */
export type RawEntry =
  | { readonly user: string }
  | { readonly calls: readonly AskedCall[] }
  | { readonly results: readonly GivenResult[] };

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  readonly calls: readonly AskedCall[];
  readonly session: string | null;
  readonly turn: string | null;
  /** The body, for what only one door has. */
  readonly body: unknown;
}

export interface RawRequest {
  readonly door: Door;
  readonly transcript: readonly RawEntry[];
  /** The client's name for its conversation. */
  readonly name?: string | undefined;
  /** Fields of the body besides the usual ones, or instead of them. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Sends a transcript as it is, with no client's library in between, and waits for the whole answer. */
export async function askRaw(address: Address, request: RawRequest): Promise<RawAnswer> {
  const response = await post(address, request, false);
  const body: unknown = await response.json();
  return {
    status: response.status,
    ...(response.ok ? shapes[request.door].read(body) : { text: JSON.stringify(body), calls: [] }),
    session: response.headers.get("x-caret-session"),
    turn: response.headers.get("x-caret-turn"),
    body,
  };
}

/** Asks for a stream and closes the connection as soon as these words have come. Gives the turn's id. */
export async function askAndLeave(address: Address, request: RawRequest, words: string): Promise<string> {
  const leaving = new AbortController();
  const response = await post(address, request, true, leaving.signal);
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes(words)) break;
  }
  leaving.abort();
  return response.headers.get("x-caret-turn") ?? "";
}

async function post(
  { url, token }: Address,
  { door, transcript, name, more }: RawRequest,
  stream: boolean,
  signal?: AbortSignal,
): Promise<Response> {
  const { path, body } = shapes[door];
  return await fetch(`${url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(name === undefined ? {} : { "x-session-id": name }),
    },
    body: JSON.stringify({ model: "auto", stream, ...body(transcript), ...more }),
    ...(signal === undefined ? {} : { signal }),
  });
}

interface Shape {
  readonly path: string;
  body(transcript: readonly RawEntry[]): object;
  read(body: unknown): Pick<RawAnswer, "text" | "calls">;
}

const chat: Shape = {
  path: "/v1/chat/completions",
  body: (transcript) => ({
    messages: transcript.flatMap((entry) => {
      if ("user" in entry) return [{ role: "user", content: entry.user }];
      if ("calls" in entry) return [{ role: "assistant", content: "", tool_calls: entry.calls.map(toChatCall) }];
      return entry.results.map(({ callId, text }) => ({ role: "tool", tool_call_id: callId, content: text }));
    }),
    tools: kitchenTools.map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    })),
  }),
  read(body) {
    const { message } = (body as { choices: [{ message: ChatMessage }] }).choices[0];
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
      callId: id,
      name,
      input: JSON.parse(text) as AskedCall["input"],
    }));
    return { text: message.content ?? "", calls };
  },
};

interface ChatMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

function toChatCall({ callId, name, input }: AskedCall): object {
  return { id: callId, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

const responses: Shape = {
  path: "/v1/responses",
  body: (transcript) => ({
    store: false,
    input: transcript.flatMap((entry): readonly object[] => {
      if ("user" in entry) return [{ type: "message", role: "user", content: entry.user }];
      if ("calls" in entry) return entry.calls.map(toFunctionCall);
      return entry.results.map(({ callId, text }) => ({ type: "function_call_output", call_id: callId, output: text }));
    }),
    tools: kitchenTools.map(({ name, description, schema }) => ({
      type: "function",
      name,
      description,
      parameters: schema,
    })),
  }),
  read(body) {
    const { output } = body as { output: readonly ResponseItem[] };
    return {
      text: output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join(""),
      calls: output.flatMap((item) =>
        item.type === "function_call"
          ? [
              {
                callId: item.call_id ?? "",
                name: item.name ?? "",
                input: JSON.parse(item.arguments ?? "{}") as AskedCall["input"],
              },
            ]
          : [],
      ),
    };
  },
};

interface ResponseItem {
  readonly type: string;
  readonly content?: readonly { readonly text: string }[];
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

function toFunctionCall({ callId, name, input }: AskedCall): object {
  return { type: "function_call", call_id: callId, name, arguments: JSON.stringify(input) };
}

const messages: Shape = {
  path: "/v1/messages",
  body: (transcript) => ({
    max_tokens: 4096,
    messages: transcript.map((entry) => {
      if ("user" in entry) return { role: "user", content: entry.user };
      if ("calls" in entry)
        return {
          role: "assistant",
          content: entry.calls.map(({ callId, name, input }) => ({ type: "tool_use", id: callId, name, input })),
        };
      return {
        role: "user",
        content: entry.results.map(({ callId, text }) => ({ type: "tool_result", tool_use_id: callId, content: text })),
      };
    }),
    tools: kitchenTools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
  }),
  read(body) {
    const { content } = body as { content: readonly MessageBlock[] };
    return {
      text: content.map(({ type, text = "" }) => (type === "text" ? text : "")).join(""),
      calls: content.flatMap(({ type, id = "", name = "", input = {} }) =>
        type === "tool_use" ? [{ callId: id, name, input }] : [],
      ),
    };
  },
};

interface MessageBlock {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: AskedCall["input"];
}

const shapes: Readonly<Record<Door, Shape>> = { "chat completions": chat, responses, messages };
