import type { UpstreamLinks, UpstreamLinksOptions } from "./upstream-link.ts";

/** The links of this process. What they are made with is loaded when the first is opened. */
export function createLazyLinks(options: UpstreamLinksOptions): UpstreamLinks {
  let links: UpstreamLinks | undefined;
  const load = async (): Promise<UpstreamLinks> => {
    const { createUpstreamLinks } = await import("./upstream-link.ts");
    links ??= createUpstreamLinks(options);
    return links;
  };
  return {
    open: async (url, version) => await (links ?? (await load())).open(url, version),
    close: () => links?.close(),
  };
}
