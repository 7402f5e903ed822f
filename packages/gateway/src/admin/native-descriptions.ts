import { exportFormats, laneNames, permissionWords } from "@caret/protocol";
import type { RouteDescription } from "./route-descriptions.ts";

const text = { type: "string" };
const flag = { type: "boolean" };
const number = { type: "integer" };
const listOf = (items: object) => ({ type: "array", items });
const oneOf = (words: readonly string[]) => ({ type: "string", enum: words });
const anObject = (properties: Readonly<Record<string, object>>) => ({ type: "object", properties });

const permission = oneOf(permissionWords);
const image = anObject({ mediaType: text, base64: text });
const raw = "`true`: with the agent's own lines";
const nothing = { required: [], properties: {} };

/** What the OpenAPI document says about the native door. Every command also takes an `idempotency-key` header. */
export const nativeDescriptions: Readonly<Record<string, RouteDescription>> = {
  "GET /api/about": { tag: "gateway", summary: "Version, lanes, defaults, and who you are" },
  "POST /api/workspaces": {
    tag: "gateway",
    summary: "Allow turns to work in a directory; for admins",
    body: { required: ["path"], properties: { path: text } },
    status: 201,
  },
  "POST /api/workspaces/sample": {
    tag: "gateway",
    summary: "Make a small project to try things on, and allow it; for admins",
    body: nothing,
    status: 201,
  },
  "GET /api/sessions": {
    tag: "sessions",
    summary: "Sessions, most recently updated first",
    query: {
      search: "A part of the title, workspace or id",
      archived: "`true` or `false`; both when absent",
      limit: "How many at most, up to 500",
      after: "The `next` of the page before",
    },
  },
  "POST /api/sessions": {
    tag: "sessions",
    summary: "Create a session",
    body: {
      required: [],
      properties: { workspace: text, title: text, lane: oneOf(laneNames), model: text, permission },
    },
    status: 201,
  },
  "GET /api/sessions/stream": {
    tag: "sessions",
    summary: "What changes about any session, from now on",
    streams: true,
  },
  "POST /api/sessions/import": {
    tag: "sessions",
    summary: "A session from an export",
    bodyType: "application/x-ndjson",
    status: 201,
  },
  "GET /api/sessions/:id": { tag: "sessions", summary: "One session" },
  "PATCH /api/sessions/:id": {
    tag: "sessions",
    summary: "Change a session",
    body: { required: [], properties: { title: text, archived: flag, permission, model: text } },
  },
  "DELETE /api/sessions/:id": { tag: "sessions", summary: "Delete a session that is not running", status: 204 },
  "POST /api/sessions/:id/fork": {
    tag: "sessions",
    summary: "A new session with the same past",
    body: { required: [], properties: { throughSeq: number, title: text } },
    status: 201,
  },
  "POST /api/sessions/:id/turns": {
    tag: "sessions",
    summary: "Start a turn; it runs on, whoever looks",
    body: {
      required: ["prompt"],
      properties: {
        prompt: text,
        images: listOf(image),
        model: text,
        mode: oneOf(["agent", "plan", "ask"]),
        permission,
      },
    },
    status: 202,
  },
  "POST /api/sessions/:id/turns/:turnId/cancel": {
    tag: "sessions",
    summary: "Stop a turn",
    body: nothing,
    status: 202,
  },
  "POST /api/sessions/:id/turns/:turnId/steer": {
    tag: "sessions",
    summary: "Say something into a running turn",
    body: { required: ["text"], properties: { text } },
    status: 202,
  },
  "POST /api/sessions/:id/questions/:requestId": {
    tag: "sessions",
    summary: "Answer what the agent asked, or skip it",
    body: {
      required: [],
      properties: { answers: listOf(anObject({ questionId: text, optionIds: listOf(text) })) },
    },
    status: 202,
  },
  "POST /api/sessions/:id/approvals/:requestId": {
    tag: "sessions",
    summary: "Approve or reject what the agent wants to do",
    body: {
      required: ["decision"],
      properties: { decision: oneOf(["approved", "rejected"]), reason: text, grant: text, remember: flag },
    },
    status: 202,
  },
  "GET /api/sessions/:id/grants": { tag: "sessions", summary: "What is allowed for the rest of the session" },
  "DELETE /api/sessions/:id/grants/:grantId": {
    tag: "sessions",
    summary: "Ask about it again from now on",
    status: 204,
  },
  "GET /api/sessions/:id/events": {
    tag: "sessions",
    summary: "Events as they are committed, for as long as you stay; `last-event-id` resumes",
    query: { after: "The last event you have", raw },
    streams: true,
  },
  "GET /api/sessions/:id/log": {
    tag: "sessions",
    summary: "A page of events, oldest first",
    query: {
      after: "Those after this event",
      before: "The newest ones before this event",
      limit: "How many at most, 500 unless told, up to 10000",
      raw,
    },
  },
  "GET /api/sessions/:id/raw/:seq": { tag: "sessions", summary: "The agent's own line behind an event" },
  "GET /api/sessions/:id/socket": {
    tag: "sessions",
    summary: 'Events over a WebSocket, after a first message {"since": <seq>}',
  },
  "GET /api/sessions/:id/images/:name": { tag: "sessions", summary: "A picture that came with a prompt" },
  "GET /api/sessions/:id/export": {
    tag: "sessions",
    summary: "The whole session as a file",
    query: { format: exportFormats.join(", ") },
  },
  "GET /api/sessions/:id/changes": { tag: "sessions", summary: "What is changed in the session's workspace" },
  "GET /api/files": {
    tag: "sessions",
    summary: "Files of a workspace that fit a query, best first",
    query: { workspace: "The directory", query: "A part of the path" },
  },
  "GET /api/models": { tag: "models", summary: "All models", query: { refresh: "`true`: ask the agent now" } },
  "GET /api/usage": {
    tag: "gateway",
    summary: "What was used, by day, model and session",
    query: { days: "How many days back, 30 unless told" },
  },
  "GET /api/doctor": { tag: "gateway", summary: "What works and what does not, with what to do about it" },
  "POST /api/connect/test": {
    tag: "gateway",
    summary: "Send a real request through one of the doors",
    body: { required: ["door"], properties: { door: oneOf(["openai", "responses", "anthropic"]) } },
  },
  "POST /api/tokens": {
    tag: "gateway",
    summary: "Create a token for a client; its secret is shown this once",
    body: { required: ["name"], properties: { name: text } },
    status: 201,
  },
  "POST /api/links": { tag: "gateway", summary: "A one-time link that signs a browser in", body: nothing, status: 201 },
  "POST /api/sign-in": {
    tag: "gateway",
    summary: "Sign a browser in with the code of a link",
    body: { required: ["code"], properties: { code: text } },
  },
  "POST /api/sign-out": { tag: "gateway", summary: "Sign this browser out", body: nothing, status: 204 },
};
