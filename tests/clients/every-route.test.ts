import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";
import { sendRaw } from "./send-raw.ts";

const home = new GatewayHome();
let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const good = '{"model":"auto","messages":[{"role":"user","content":"hello"}],"input":"hello"}';

interface Wrong {
  readonly what: string;
  /** These replace the good ones of the same name; undefined takes one away. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly status: number;
}

const wrongs: readonly Wrong[] = [
  { what: "no token", headers: { authorization: undefined }, status: 401 },
  { what: "an empty token", headers: { authorization: "Bearer " }, status: 401 },
  { what: "a wrong token", headers: { authorization: "Bearer caret_wrong" }, status: 401 },
  { what: "a token without its scheme", headers: { authorization: "TOKEN" }, status: 401 },
  { what: "another scheme", headers: { authorization: "Basic TOKEN" }, status: 401 },
  { what: "a token and something more", headers: { authorization: "Bearer TOKENx" }, status: 401 },
  { what: "a token in a cookie", headers: { authorization: undefined, cookie: "token=TOKEN" }, status: 401 },
  { what: "a wrong key", headers: { authorization: undefined, "x-api-key": "caret_wrong" }, status: 401 },
  { what: "an empty key", headers: { authorization: undefined, "x-api-key": "" }, status: 401 },
  {
    what: "a wrong token beside a right key",
    headers: { authorization: "Bearer caret_wrong", "x-api-key": "TOKEN" },
    status: 401,
  },
  { what: "a stranger's host", headers: { host: "evil.test" }, status: 403 },
  { what: "a host that begins like ours", headers: { host: "localhost.evil.test" }, status: 403 },
  { what: "our host on another port", headers: { host: "localhost:1" }, status: 403 },
  { what: "no host", headers: { host: undefined }, status: 403 },
  { what: "a foreign origin", headers: { origin: "https://evil.test" }, status: 403 },
  { what: "an origin that is null", headers: { origin: "null" }, status: 403 },
  { what: "an origin on another port", headers: { origin: "http://localhost:1" }, status: 403 },
];
const wrongTypes: readonly Wrong[] = [
  { what: "no content type", headers: { "content-type": undefined }, status: 415 },
  { what: "plain text", headers: { "content-type": "text/plain" }, status: 415 },
  { what: "a form", headers: { "content-type": "application/x-www-form-urlencoded" }, status: 415 },
  { what: "a compressed body", headers: { "content-encoding": "gzip" }, status: 415 },
];
interface Route {
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  /** What its body has to be; undefined for a route without one. */
  readonly mediaType: string | undefined;
}

interface Described {
  readonly security?: readonly unknown[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

/** As the router itself lists them. */
async function routes(): Promise<readonly Route[]> {
  const response = await fetch(`${gateway.url}/openapi.json`, { headers: { "x-api-key": gateway.token } });
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security, requestBody }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, "auto"),
      isPublic: security?.length === 0,
      mediaType: Object.keys(requestBody?.content ?? {})[0],
    })),
  );
}

async function statusOf({ method, path, mediaType }: Route, replaced: Wrong["headers"]): Promise<number> {
  const hasBody = mediaType !== undefined;
  const headers: Record<string, string | undefined> = {
    host: new URL(gateway.url).host,
    authorization: "Bearer TOKEN",
    connection: "close",
    ...(hasBody ? { "content-type": mediaType, "content-length": String(good.length) } : {}),
    ...replaced,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value.replace("TOKEN", gateway.token)],
  );
  return (await sendRaw(gateway.url, { method, path, headers: lines, ...(hasBody ? { body: good } : {}) })).status;
}

/** Everything that is wrong at a route; what everybody may see asks for no token. */
function wrongsAt({ isPublic, mediaType }: Route): readonly Wrong[] {
  const ours = wrongs.filter(({ status }) => status !== 401 || !isPublic);
  return mediaType === undefined ? ours : [...ours, ...wrongTypes];
}

it("refuses wrong credentials, hosts, origins and content types at every route of the router, and does nothing for them", async () => {
  const known = await routes();
  const found: string[] = [];
  for (const route of known) {
    const answers = await Promise.all(
      wrongsAt(route).map(async (wrong) => ({ ...wrong, got: await statusOf(route, wrong.headers) })),
    );
    for (const { what, status, got } of answers)
      if (got !== status) found.push(`${route.method} ${route.path} with ${what}: ${got} instead of ${status}`);
  }
  expect({ found, areMany: known.length > 10, turns: home.turns() }).toEqual({ found: [], areMany: true, turns: [] });
  // What a file of the page is called is up to its build.
  const open = known.filter(({ isPublic, path }) => isPublic && !/^\/[\w-]+\.\w+$/.test(path));
  expect(open.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
    "GET /",
    "GET /assets/auto",
    "GET /healthz",
    "HEAD /",
    "HEAD /api/hello",
    "POST /api/sign-in",
  ]);
});
