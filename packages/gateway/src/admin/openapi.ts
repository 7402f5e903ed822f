import { z } from "zod";
import type { RouteDoc } from "../http/route-doc.ts";

type Json = Readonly<Record<string, unknown>>;

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

export interface OpenApiOperation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly [field: string]: unknown;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly [field: string]: unknown;
}

/** Built from the router's own list, so a route can lack a summary but never be missing. */
export function buildOpenApi(routes: readonly ListedRoute[], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of routes) {
    const path = toTemplate(route.url);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Caret", version, description: "One gateway that puts Cursor's coding agent behind every door." },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
      },
    },
    security: [{ bearer: [] }, { apiKey: [] }],
  };
}

/** OpenAPI has no wildcard; in our paths it always stands for an id. */
function toTemplate(url: string): string {
  return url.replaceAll(/:(\w+)/g, "{$1}").replace(/\*$/, "{id}");
}

function toOperation({ method, url, isPublic = false, mediaType = "application/json", doc }: ListedRoute) {
  const path = toTemplate(url);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...toParameters("query", doc?.query),
    ...toParameters("header", doc?.headers),
  ];
  return {
    summary: doc?.summary ?? `${method} ${url}`,
    tags: [tagOf(path)],
    ...(isPublic ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(METHODS_WITH_BODY.has(method) ? { requestBody: toRequestBody(mediaType, doc?.body) } : {}),
    responses: toResponses(isPublic, doc),
  };
}

function tagOf(path: string): string {
  if (path.endsWith("/models") || path.includes("/models/")) return "models";
  if (path.startsWith("/v1/")) return "doors";
  return path.startsWith("/api/sessions") || path === "/api/files" ? "sessions" : "gateway";
}

interface ObjectSchema extends Json {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

/** What a client may send, as JSON Schema: the schema's input, before transforms and defaults. */
function toJsonSchema(schema: z.ZodType): ObjectSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest as ObjectSchema;
}

function toParameters(position: "query" | "header", schema: z.ZodType | undefined): readonly Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toJsonSchema(schema);
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: position,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

function toRequestBody(mediaType: string, schema: z.ZodType | undefined): Json {
  const isJson = mediaType === "application/json";
  const content = isJson ? { schema: schema === undefined ? { type: "object" } : toJsonSchema(schema) } : {};
  return { required: true, content: { [mediaType]: content } };
}

function toResponses(isPublic: boolean, { streams = false, status = 200 }: Partial<RouteDoc> = {}): Json {
  const content = { "application/json": {}, ...(streams ? { "text/event-stream": {} } : {}) };
  const description = streams ? "The answer, whole or as a stream" : "The answer";
  const ok = { [status]: status === 204 ? { description: "Done" } : { description, content } };
  if (isPublic) return { ...ok, 403: { description: "Host or origin not allowed" } };
  return {
    ...ok,
    401: { description: "No valid token" },
    403: { description: "Host or origin not allowed, or a token without the scope" },
    429: { description: "Too many requests at once; retry after the seconds in `retry-after`" },
  };
}

/** A route as the router knows it. */
export interface ListedRoute {
  readonly method: string;
  /** With parameters as `:name`, and `*` for the rest of the path. */
  readonly url: string;
  /** Whether it needs no token. */
  readonly isPublic?: boolean;
  /** Content type of its body. Default: JSON. */
  readonly mediaType?: string | undefined;
  readonly doc?: RouteDoc | undefined;
}

/** The methods served at this path. */
export function methodsAt(routes: readonly ListedRoute[], path: string): readonly string[] {
  return [...new Set(routes.filter(({ url }) => matches(url, path)).map(({ method }) => method))];
}

function matches(url: string, path: string): boolean {
  if (url.endsWith("*")) return path.startsWith(url.slice(0, -1)) && path.length >= url.length;
  const [pattern, parts] = [url.split("/"), path.split("/")];
  if (pattern.length !== parts.length) return false;
  return pattern.every((part, index) => part === parts[index] || (part.startsWith(":") && parts[index] !== ""));
}
