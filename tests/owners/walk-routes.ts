import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { OwnedThings, Seat } from "./owned-things.ts";
import { type Schema, sampleValue } from "./sample-value.ts";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Templates whose parameter is nobody's: a model, a file of the page. */
const nobodys = new Set(["/v1/models/{id}", "/assets/{id}"]);
/** Parameters of queries that name a session. */
const references = new Set(["session", "forkedFrom"]);

/** Every route, as the router itself lists them: a new one cannot be forgotten. */
export async function listRoutes({ url, token }: Seat): Promise<readonly Route[]> {
  const response = await fetch(new URL("/openapi.json", url), { headers: { authorization: `Bearer ${token}` } });
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** Routes about one thing, by an id in their path or their query. */
export function isAboutThing({ path, operation }: Route): boolean {
  const names = (operation.parameters ?? []).flatMap((each) => (each.in === "query" ? [each.name] : []));
  return (path.includes("{") && !nobodys.has(path)) || names.some((name) => references.has(name));
}

/** What a route says of these ids. A stream is left with its head. */
export async function ask(seat: Seat, route: Route, ids: OwnedThings["ids"]): Promise<Answer> {
  const { method, operation } = route;
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const leaving = new AbortController();
  const response = await fetch(new URL(pathFor(route, ids), seat.url), {
    method,
    headers: {
      authorization: `Bearer ${seat.token}`,
      ...(mediaType === undefined ? {} : { "content-type": mediaType }),
    },
    ...(content === undefined ? {} : { body: JSON.stringify(sampleValue(content.schema ?? {})) }),
    redirect: "manual",
    signal: leaving.signal,
  });
  const type = response.headers.get("content-type") ?? "";
  const isStream = type.startsWith("text/event-stream");
  const body = isStream ? "" : await response.text();
  leaving.abort();
  return { status: response.status, type, body };
}

function pathFor({ path, operation }: Route, ids: OwnedThings["ids"]): string {
  const known = idsFor(path, ids);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = known[name];
    if (value === undefined) throw new Error(`Nothing is known to ask ${path} about: add it to makeThings`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in !== "query") continue;
    if (references.has(parameter.name)) query.set(parameter.name, ids["sessions"]?.["id"] ?? "");
    else if (parameter.required) query.set(parameter.name, String(sampleValue(parameter.schema)));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function idsFor(path: string, ids: OwnedThings["ids"]): Readonly<Record<string, string>> {
  return ids[path.split("/")[2] ?? ""] ?? {};
}

/** The same ids with other letters: of things that nobody has. */
export function strangeIds(ids: OwnedThings["ids"]): OwnedThings["ids"] {
  return Object.fromEntries(
    Object.entries(ids).map(([kind, names]) => [
      kind,
      Object.fromEntries(Object.keys(names).map((name) => [name, name === "seq" ? "1" : `no-${randomUUID()}`])),
    ]),
  );
}

/** An answer without the ids that it was asked about: what is left says what the route knows. */
export function withoutIds({ body, ...answer }: Answer, ids: OwnedThings["ids"]): Answer {
  let left = body;
  const values = Object.values(ids).flatMap((names) => Object.entries(names).map(([, id]) => id));
  for (const id of values.filter((value) => value.length > 4)) left = left.replaceAll(id, "ID");
  return { ...answer, body: left };
}

/** What the WebSocket of a session answers before it is one. */
export async function askForSocket({ url, token }: Seat, sessionId: string): Promise<number> {
  const asked = request(new URL(`/api/sessions/${sessionId}/socket`, url), {
    headers: {
      authorization: `Bearer ${token}`,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": Buffer.alloc(16, 1).toString("base64"),
    },
  });
  asked.end();
  const [[answer]] = (await Promise.race([
    once(asked, "response").then((got) => [got]),
    once(asked, "upgrade").then((got) => [got]),
  ])) as [[IncomingMessage]];
  answer.destroy();
  asked.destroy();
  return answer.statusCode ?? 0;
}
