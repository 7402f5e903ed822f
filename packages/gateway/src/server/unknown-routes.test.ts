import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import { exchange, type StartedServer, startServer, statusOf } from "./testing/start-server.ts";

let server: StartedServer;

beforeAll(async () => {
  server = await startServer(scriptedConversations(telling(...saying("hello"))));
});
afterAll(() => server.app.close());

const bodies = {
  "no body": [],
  "JSON that is broken": ["Content-Type: application/json", "Content-Length: 1", "", "{"],
  "plain text": ["Content-Type: text/plain", "Content-Length: 1", "", "x"],
  "a form": ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 3", "", "a=b"],
  "no media type": ["Content-Length: 1", "", "x"],
  "an empty body of JSON": ["Content-Type: application/json", "Content-Length: 0", "", ""],
  "a compressed body": ["Content-Type: application/json", "Content-Encoding: gzip", "Content-Length: 1", "", "x"],
  "more than is ever taken": ["Content-Type: application/json", "Content-Length: 999999999", "", "{"],
} as const;

const places = [
  ["POST", "/v1/nothing", 404, undefined],
  ["PUT", "/v1/responses/resp_1/nothing", 404, undefined],
  ["DELETE", "/nowhere", 404, undefined],
  ["PATCH", "/v1/models/auto", 405, "GET"],
  ["POST", "/v1/models/auto", 405, "GET"],
  ["PUT", "/v1/chat/completions", 405, "POST"],
] as const;

function send(method: string, path: string, body: readonly string[], token: string): Promise<string> {
  const [...lines] = body;
  const head = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`, `Authorization: Bearer ${token}`];
  return exchange(server.port, [...head, ...(lines.length === 0 ? ["", ""] : lines)].join("\r\n"));
}

describe.each(places)("%s %s", (method, path, status, allow) => {
  it.each(Object.entries(bodies))(`is ${status}, whatever its body is: %s`, async (_, body) => {
    const answer = await send(method, path, body, "boss");
    expect([statusOf(answer), /^allow: (.+)$/im.exec(answer)?.[1]]).toEqual([status, allow]);
  });

  it("is a 401 without a token", async () => {
    const answers = await Promise.all(Object.values(bodies).map((body) => send(method, path, body, "wrong")));
    expect(answers.map(statusOf)).toEqual(answers.map(() => 401));
  });
});
