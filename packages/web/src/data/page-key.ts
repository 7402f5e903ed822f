import type { PageEnvironment } from "./page-environment.ts";

/** One half of the browser's credential; the other is a cookie that scripts cannot read. */
export interface PageKey {
  readonly name: string;
  read(): string | undefined;
  write(key: string | undefined): void;
}

export function createPageKey({ storage, baseUrl }: Pick<PageEnvironment, "storage" | "baseUrl">): PageKey {
  // Two gateways may live below different paths of one host.
  const name = `caret.page-key ${new URL(baseUrl).pathname}`;
  return {
    name,
    read: () => storage.getItem(name) ?? undefined,
    write: (key) => (key === undefined ? storage.removeItem(name) : storage.setItem(name, key)),
  };
}
