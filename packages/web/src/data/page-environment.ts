/** What the page needs of the browser, so that its data can be tested without one. */
export interface PageEnvironment {
  /** Where the page was loaded from: the gateway's routes are below it. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  readonly now: () => number;
  readonly isHidden: () => boolean;
  readonly onVisibility: (listener: () => void) => () => void;
  /** Calls back with the next frame, or 30 times a second while nobody looks. */
  readonly nextFrame: (callback: () => void) => void;
  /** Missing on pages that came over plain http from another machine. */
  readonly locks: Pick<LockManager, "request"> | undefined;
}

const HIDDEN_FRAME_MS = 33;
/** A frame that was asked for just before the page was hidden does not come. */
const LATE_FRAME_MS = 250;

export function browserEnvironment(): PageEnvironment {
  return {
    baseUrl: new URL(".", document.baseURI).href,
    fetch: (input, init) => fetch(input, init),
    storage: localStorage,
    now: Date.now,
    isHidden: () => document.hidden,
    onVisibility: (listener) => {
      document.addEventListener("visibilitychange", listener);
      return () => document.removeEventListener("visibilitychange", listener);
    },
    nextFrame,
    locks: navigator.locks as LockManager | undefined,
  };
}

function nextFrame(callback: () => void): void {
  const timer = setTimeout(run, document.hidden ? HIDDEN_FRAME_MS : LATE_FRAME_MS);
  const frame = requestAnimationFrame(run);
  function run(): void {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    callback();
  }
}

/** One half of the browser's credential; the other is a cookie that scripts cannot read. */
interface PageKey {
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
