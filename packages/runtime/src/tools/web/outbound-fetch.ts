import { lookup } from "node:dns/promises";
import { CaretError } from "@caret/protocol";
import { Agent, type Dispatcher, request } from "undici";
import { type AddressPolicy, createPublicAddressPolicy } from "./address-policy.ts";
import { createGuardedConnector } from "./guarded-connector.ts";
import { readCappedBody } from "./read-capped-body.ts";

const USUAL_PORTS = new Set(["", "80", "443"]);

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const defaultLimits = { connectMs: 10_000, totalMs: 30_000, maxBytes: 5 * 1024 * 1024 };

export interface OutboundRequest {
  readonly url: string;
  readonly method?: "GET" | "POST";
  /** Sent only to the origin of `url`: a redirect elsewhere drops them all. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface OutboundResponse {
  /** The URL after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** Rejects with a CaretError; a response with an HTTP error status resolves. */
export type OutboundFetch = (wanted: OutboundRequest) => Promise<OutboundResponse>;

export interface OutboundFetchOptions {
  /** Origins chosen by the operator: private addresses and any port are allowed. Never from a model's text. */
  readonly trustedOrigins?: readonly string[];
  /** Ports allowed on public hosts in addition to 80 and 443. */
  readonly allowPorts?: readonly number[];
  readonly isAllowed?: AddressPolicy;
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  readonly limits?: Partial<typeof defaultLimits>;
}

/**
 * The only way out for tools that fetch. Each hop is parsed, checked and connected separately: http and https only, public addresses only,
 * at most five redirects, never from https to http, limited in time and decoded bytes.
 */
export function createOutboundFetch(options: OutboundFetchOptions = {}): OutboundFetch {
  const { isAllowed = createPublicAddressPolicy(), resolve = resolveAll } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const allowPorts = new Set(options.allowPorts);
  const trustedOrigins = new Set(options.trustedOrigins);
  const connect = createGuardedConnector({ isAllowed, trustedOrigins, resolve, connectMs: limits.connectMs });
  const parse = (text: string, base?: URL): URL => parseOutboundUrl(text, { allowPorts, trustedOrigins, base });

  const follow = async (first: Hop, agent: Agent): Promise<OutboundResponse> => {
    let hop = first;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await send(hop, agent);
      const location = REDIRECTS.has(answer.statusCode) ? headerOf(answer, "location") : "";
      if (location === "") return toResponse(hop.url, answer, limits.maxBytes);
      answer.body.on("error", () => undefined).destroy();
      hop = redirect(hop, parse(location, hop.url), answer.statusCode);
    }
    throw new CaretError("upstream-error", `The address redirects more than ${MAX_REDIRECTS} times`);
  };

  return async (wanted) => {
    const agent = new Agent({ connect });
    const signal = AbortSignal.any([wanted.signal, AbortSignal.timeout(limits.totalMs)]);
    try {
      return await follow({ ...wanted, url: parse(wanted.url), signal }, agent);
    } catch (reason) {
      throw wanted.signal.aborted ? reason : toOutboundError(reason, limits.totalMs);
    } finally {
      await agent.destroy();
    }
  };
}

type Hop = Omit<OutboundRequest, "url"> & { readonly url: URL };

function send({ url, method = "GET", headers, body, signal }: Hop, agent: Agent): Promise<Dispatcher.ResponseData> {
  const usual = { "user-agent": "caret", accept: "text/html, text/*;q=0.9, */*;q=0.5", "accept-encoding": "gzip, br" };
  return request(url, { dispatcher: agent, method, headers: { ...usual, ...headers }, body: body ?? null, signal });
}

export function redirect({ headers, body, ...hop }: Hop, url: URL, status: number): Hop {
  if (hop.url.protocol === "https:" && url.protocol === "http:")
    throw new CaretError("forbidden", "The address redirects from https to http, which is not followed");
  const next = { ...hop, url, ...(url.origin === hop.url.origin && headers !== undefined ? { headers } : {}) };
  const keepsBody = (status === 307 || status === 308) && url.origin === hop.url.origin;
  return keepsBody ? { ...next, ...(body === undefined ? {} : { body }) } : { ...next, method: "GET" };
}

async function toResponse(url: URL, answer: Dispatcher.ResponseData, maxBytes: number): Promise<OutboundResponse> {
  // Errors of the body surface when it is read.
  answer.body.on("error", () => undefined);
  const body = await readCappedBody(answer.body, headerOf(answer, "content-encoding"), maxBytes);
  return { url, status: answer.statusCode, contentType: headerOf(answer, "content-type"), ...body };
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : (value ?? "");
}

function toOutboundError(reason: unknown, totalMs: number): CaretError {
  if (CaretError.is(reason)) return reason;
  const name = (reason as Error).name;
  if (name === "TimeoutError")
    return new CaretError("timed-out", `There was no complete answer within ${totalMs} ms`, { cause: reason });
  if (name === "ConnectTimeoutError")
    return new CaretError("timed-out", "The host did not answer in time", { cause: reason });
  const code = (reason as NodeJS.ErrnoException).code ?? name;
  return new CaretError("upstream-unreachable", `The address could not be fetched (${code})`, { cause: reason });
}

export async function resolveAll(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

interface OutboundUrlOptions {
  /** Base for a relative URL. */
  readonly base: URL | undefined;
  readonly allowPorts: ReadonlySet<number>;
  readonly trustedOrigins: ReadonlySet<string>;
}

/** Parses a URL once and connects to exactly that result, so no second parser can disagree. */
function parseOutboundUrl(text: string, { base, allowPorts, trustedOrigins }: OutboundUrlOptions): URL {
  // The parser would silently drop tabs and newlines, and read `exa<newline>mple.com` as a host nobody wrote.
  if (hasControlCharacter(text.trim())) throw refuse("The address contains control characters");
  const url = URL.parse(text.trim(), base?.href);
  if (url === null) throw refuse("The address is not a URL");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refuse(`Only http and https addresses can be fetched, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "") throw refuse("The address must not carry a user name or password");
  if (!USUAL_PORTS.has(url.port) && !allowPorts.has(Number(url.port)) && !trustedOrigins.has(url.origin))
    throw new CaretError("forbidden", `Port ${url.port} may not be fetched from, only 80 and 443`);
  return url;
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((letter) => letter < " " || letter === "\u007f");
}

function refuse(message: string): CaretError {
  return new CaretError("invalid-request", message);
}
