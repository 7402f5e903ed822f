import { z } from "zod";

/** An address that the gateway posts to by itself. What a receiver knows the gateway by is in a header or a signature. */
export function outboundAddress() {
  return z.url({ protocol: /^https?$/ }).refine(hasNoUser, "must not carry a user name or password");
}

function hasNoUser(address: string): boolean {
  const url = URL.parse(address);
  return url === null || (url.username === "" && url.password === "");
}

/** Headers as HTTP can carry them. What is wrong with one is said without its value, which may be a key. */
export function outboundHeaders() {
  const name = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "is not the name of a header");
  const value = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, "has characters that no header may have");
  return z.record(name, value);
}
