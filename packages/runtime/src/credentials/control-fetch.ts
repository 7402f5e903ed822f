import { Agent, fetch as fetchWith } from "undici";

/** A `fetch` that trusts these certificates; Node's own where there are none besides the usual ones. */
export function createControlFetch(ca: readonly string[] | undefined): typeof fetch {
  if (ca === undefined) return fetch;
  const dispatcher = new Agent({ connect: { ca: [...ca] } });
  // The two types describe the same function, one as Node has it and one as its own package has it.
  return ((url, init) => fetchWith(url as URL, { ...init, dispatcher } as never)) as typeof fetch;
}
