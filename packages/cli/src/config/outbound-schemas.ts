import { z } from "zod";

/** A URL that the gateway itself posts to. Credentials go into a header or a signature, not into the URL. */
export function outboundAddress() {
  return z.url({ protocol: /^https?$/ }).refine(hasNoUser, "must not carry a user name or password");
}

function hasNoUser(address: string): boolean {
  const url = URL.parse(address);
  return url === null || (url.username === "" && url.password === "");
}

/** Headers that HTTP can carry. Errors omit the value, which may be a key. */
export function outboundHeaders() {
  const name = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "is not the name of a header");
  const value = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, "has characters that no header may have");
  return z.record(name, value);
}
