import { CaretError } from "@caret/protocol";

const USUAL_PORTS = new Set(["", "80", "443"]);

export interface OutboundUrlOptions {
  /** For a relative address: where it was found. */
  readonly base?: URL;
  readonly allowPorts: ReadonlySet<number>;
  readonly trustedOrigins: ReadonlySet<string>;
}

/** Reads an address once; what comes out is what is connected to, so there is no second opinion to disagree with. */
export function parseOutboundUrl(text: string, { base, allowPorts, trustedOrigins }: OutboundUrlOptions): URL {
  // The parser would drop tabs and newlines in silence, and read `exa<newline>mple.com` as a host nobody wrote.
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
