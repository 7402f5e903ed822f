import { nativeDescriptions } from "./native-descriptions.ts";

export interface RouteDescription {
  readonly tag: "doors" | "models" | "sessions" | "gateway";
  readonly summary: string;
  /** The fields a body cannot do without, with those that most people need. */
  readonly body?: { readonly required: readonly string[]; readonly properties: Readonly<Record<string, object>> };
  /** What the body is when it is not JSON. */
  readonly bodyType?: string;
  /** What may stand behind the `?`, each with what it is for. */
  readonly query?: Readonly<Record<string, string>>;
  readonly streams?: boolean;
  /** The status of success, when it is not 200. */
  readonly status?: number;
}

const text = { type: "string" };
const flag = { type: "boolean" };
const list = { type: "array", items: { type: "object" } };
const textOrList = { oneOf: [text, list] };

const chat = { model: text, messages: list, tools: list, stream: flag };
const messages = { model: text, messages: list, system: textOrList, tools: list, max_tokens: { type: "integer" } };

/** What the OpenAPI document says about each route, by method and path. */
export const routeDescriptions: Readonly<Record<string, RouteDescription>> = {
  "POST /v1/chat/completions": {
    tag: "doors",
    summary: "OpenAI chat completions",
    body: { required: ["messages"], properties: chat },
    streams: true,
  },
  "POST /v1/responses": {
    tag: "doors",
    summary: "OpenAI responses",
    body: { required: ["input"], properties: { model: text, input: textOrList, tools: list, stream: flag } },
    streams: true,
  },
  "POST /v1/messages": {
    tag: "doors",
    summary: "Anthropic messages",
    body: { required: ["messages"], properties: { ...messages, stream: flag } },
    streams: true,
  },
  "POST /v1/messages/count_tokens": {
    tag: "doors",
    summary: "An estimate of the tokens a request would bring",
    body: { required: ["messages"], properties: messages },
  },
  "GET /v1/models": { tag: "models", summary: "All models, in the shape of OpenAI or of Anthropic" },
  "GET /v1/models/*": { tag: "models", summary: "One model" },
  ...nativeDescriptions,
  "GET /": { tag: "gateway", summary: "The web page" },
  "GET /assets/*": { tag: "gateway", summary: "What the web page is made of" },
  "HEAD /": { tag: "gateway", summary: "Is something here?" },
  "HEAD /api/hello": { tag: "gateway", summary: "Is something here? (as Claude Code asks)" },
  "GET /healthz": { tag: "gateway", summary: "Says ok for as long as the gateway runs" },
  "GET /readyz": { tag: "gateway", summary: "Which lanes could run a turn now, simulated or not" },
  "GET /metrics": { tag: "gateway", summary: "Numbers for Prometheus" },
  "GET /openapi.json": { tag: "gateway", summary: "This document" },
  "GET /docs": { tag: "gateway", summary: "This document as a page" },
};
