import type { UpstreamLinks, UpstreamLinksOptions } from "./upstream-link.ts";

export interface LazyLinksOptions extends Pick<UpstreamLinksOptions, "ca"> {
  /** A Node program that makes the requests in a separate process; undefined: they are made here. */
  readonly bridgeNode?: string | undefined;
}

/** The links of this process. Their implementation is loaded when the first is opened. */
export function createLazyLinks({ ca, bridgeNode }: LazyLinksOptions): UpstreamLinks {
  let links: UpstreamLinks | undefined;
  let isClosed = false;
  const load = async (): Promise<UpstreamLinks> => {
    const loaded = bridgeNode === undefined ? await loadOwn(ca) : await loadBridged(ca, bridgeNode);
    links ??= loaded;
    if (isClosed) links.close();
    return links;
  };
  return {
    open: async (url, version) => await (links ?? (await load())).open(url, version),
    close() {
      isClosed = true;
      links?.close();
    },
  };
}

async function loadOwn(ca: LazyLinksOptions["ca"]): Promise<UpstreamLinks> {
  const { createUpstreamLinks } = await import("./upstream-link.ts");
  return createUpstreamLinks({ ca });
}

async function loadBridged(ca: LazyLinksOptions["ca"], node: string): Promise<UpstreamLinks> {
  const { createBridgedLinks, startBridge } = await import("../http-bridge/bridged-links.ts");
  return createBridgedLinks({ ca, start: () => startBridge(node) });
}
