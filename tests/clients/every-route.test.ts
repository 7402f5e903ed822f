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
const isPublic = (path: string): boolean => ["/", "/api/hello", "/healthz"].includes(path);

interface Route {
  readonly method: string;
  readonly path: string;
}

/** As the router itself tells them. */
async function routes(): Promise<readonly Route[]> {
  const response = await fetch(`${gateway.url}/openapi.json`, { headers: { "x-api-key": gateway.token } });
  const { paths } = (await response.json()) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path: path.replace("{id}", "auto") })),
  );
}

async function statusOf({ method, path }: Route, replaced: Wrong["headers"]): Promise<number> {
  const hasBody = method === "POST";
  const headers: Record<string, string | undefined> = {
    host: new URL(gateway.url).host,
    authorization: "Bearer TOKEN",
    connection: "close",
    ...(hasBody ? { "content-type": "application/json", "content-length": String(good.length) } : {}),
    ...replaced,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value.replace("TOKEN", gateway.token)],
  );
  return (await sendRaw(gateway.url, { method, path, headers: lines, ...(hasBody ? { body: good } : {}) })).status;
}

/** Everything that is wrong at a route; what everybody may see asks for no token. */
function wrongsAt({ method, path }: Route): readonly Wrong[] {
  const ours = wrongs.filter(({ status }) => status !== 401 || !isPublic(path));
  return method === "POST" ? [...ours, ...wrongTypes] : ours;
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
  expect([found, known.length > 10, home.turns()]).toEqual([[], true, []]);
});
