import { type RouteDescription, routeDescriptions } from "./route-descriptions.ts";

type Json = Readonly<Record<string, unknown>>;

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

/** The document is made from the router's own list, so a route can be undescribed but never missing. */
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

/** What the build of the page names as it likes. */
const pageFile: RouteDescription = { tag: "gateway", summary: "A file of the web page" };

/** OpenAPI has no name for what follows a path, which here is always the id of something. */
function toTemplate(url: string): string {
  return url.replaceAll(/:(\w+)/g, "{$1}").replace(/\*$/, "{id}");
}

function toOperation({ method, url, isPublic = false }: ListedRoute): OpenApiOperation {
  const described = routeDescriptions[`${method} ${url}`] ?? (isPublic ? pageFile : undefined);
  const parameters = [
    ...[...toTemplate(url).matchAll(/\{(\w+)\}/g)].map(([, name]) => toParameter(name ?? "")),
    ...Object.entries(described?.query ?? {}).map(([name, description]) => toQuery(name, description)),
  ];
  return {
    summary: described?.summary ?? `${method} ${url}`,
    tags: [described?.tag ?? "other"],
    ...(isPublic ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(described?.body === undefined ? {} : { requestBody: toRequestBody(described.body) }),
    ...(described?.bodyType === undefined
      ? {}
      : { requestBody: { required: true, content: { [described.bodyType]: {} } } }),
    responses: toResponses({ ...described, isPublic }),
  };
}

function toParameter(name: string): Json {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

function toQuery(name: string, description: string): Json {
  return { name, in: "query", required: false, description, schema: { type: "string" } };
}

function toRequestBody(body: object): Json {
  return { required: true, content: { "application/json": { schema: { type: "object", ...body } } } };
}

function toResponses({
  streams = false,
  isPublic,
  status = 200,
}: Partial<RouteDescription> & { readonly isPublic: boolean }): Json {
  const content = { "application/json": {}, ...(streams ? { "text/event-stream": {} } : {}) };
  const description = streams ? "The answer, whole or as a stream" : "The answer";
  const ok = { [status]: status === 204 ? { description: "Done" } : { description, content } };
  if (isPublic) return { ...ok, 403: { description: "Wrong host or origin" } };
  return {
    ...ok,
    401: { description: "No valid token" },
    403: { description: "Wrong host or origin, or a token without the scope" },
    429: { description: "Too much at once; `retry-after` says when to come back" },
  };
}

/** A route as the router knows it. */
export interface ListedRoute {
  readonly method: string;
  /** With parameters as `:name`, and `*` for all that follows. */
  readonly url: string;
  /** Whether it needs no token. */
  readonly isPublic?: boolean;
}

/** The methods that some route answers at this path. */
export function methodsAt(routes: readonly ListedRoute[], path: string): readonly string[] {
  return routes.filter(({ url }) => matches(url, path)).map(({ method }) => method);
}

function matches(url: string, path: string): boolean {
  if (url.endsWith("*")) return path.startsWith(url.slice(0, -1)) && path.length >= url.length;
  const [pattern, parts] = [url.split("/"), path.split("/")];
  if (pattern.length !== parts.length) return false;
  return pattern.every((part, index) => part === parts[index] || (part.startsWith(":") && parts[index] !== ""));
}
