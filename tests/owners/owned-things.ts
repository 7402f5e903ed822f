import { execFileSync } from "node:child_process";
import { createNativeClient, type NativeClient } from "@caret/protocol";
import { expect, vi } from "vitest";

/** A gateway, and the token of one user there. */
export interface Seat {
  readonly url: string;
  readonly token: string;
}

/** In the prompt, the title and the answers of everything that Anna has: nobody else may ever read it. */
export const MARK = "annaswordofall";

/** What Anna has, by its ids. */
export interface OwnedThings {
  /** By the names of a route's parameters, for each kind of thing that routes are about. */
  readonly ids: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly sessionId: string;
  readonly responseId: string;
  /** Of a tool call that waits for its client's result. */
  readonly callId: string;
  readonly calledMessages: readonly object[];
}

export const clientOf = ({ url, token }: Seat): NativeClient =>
  createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });

export interface PostAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly session: string;
  readonly body: Record<string, unknown>;
}

export async function post(
  { url, token }: Seat,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<PostAnswer> {
  const response = await fetch(new URL(path, url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const session = response.headers.get("x-caret-session") ?? "";
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, session, body: answer };
}

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const tools = [
  {
    type: "function",
    function: {
      name: "read_file",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    },
  },
];

/** Everything that a user can have at a gateway. */
export async function makeThings(anna: Seat, workspace: string): Promise<OwnedThings> {
  const client = clientOf(anna);
  const session = await client.createSession({ workspace, permission: "supervised", title: `About ${MARK}` });
  const status = async () => (await client.getSession(session.id)).status;
  const becomes = (kind: string) =>
    vi.waitFor(async () => expect((await status()).kind).toBe(kind), { timeout: 30_000, interval: 50 });
  const images = [{ mediaType: "image/png", base64: dot }];
  await client.startTurn(session.id, { prompt: `Say ${MARK}`, permission: "full", images });
  await becomes("ended");
  const { turnId } = await client.startTurn(session.id, { prompt: `Run \`echo ${MARK}\`` });
  await becomes("waiting");
  const shown = await status();
  const requestId = shown.kind === "waiting" ? (shown.approval?.requestId ?? "") : "";
  const { events } = await client.readLog(session.id);
  const [start] = events.flatMap(({ event }) => (event.type === "turn-start" ? [event] : []));
  const image = start?.images?.[0]?.name ?? "";
  const { id: messageId } = await client.queuePrompt(session.id, { prompt: `Then say ${MARK}` });
  const more = await makeMore(client, workspace);
  const kept = await post(anna, "/v1/responses", { model: "auto", input: `Remember ${MARK}` });
  const asked = { role: "user", content: `Please read the file ${MARK}.txt with read_file` };
  const parked = await post(anna, "/v1/chat/completions", { model: "auto", tools, messages: [asked] });
  const [choice] = parked.body["choices"] as [{ message: { tool_calls: [{ id: string }] } }];
  const inSession = { turnId, requestId, messageId, grantId: "g1", seq: "1", name: image };
  return {
    sessionId: session.id,
    responseId: String(kept.body["id"]),
    callId: choice.message.tool_calls[0].id,
    calledMessages: [asked, choice.message],
    ids: {
      sessions: { id: session.id, ...inSession },
      agents: { name: more.agent },
      messages: { id: messageId },
      comparisons: { id: more.comparison },
      responses: { id: String(kept.body["id"]) },
    },
  };
}

/** Named agents and comparisons, in a repository. */
async function makeMore(client: NativeClient, workspace: string) {
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: workspace });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  const { name } = await client.createAgent({ name: "annas-agent", workspace });
  const { id } = await client.startComparison({
    prompt: `Compare ${MARK}`,
    models: ["auto", "composer-2.5"],
    workspace,
  });
  return { agent: name, comparison: id };
}
