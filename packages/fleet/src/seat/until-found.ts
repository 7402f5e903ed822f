import type { HintKind } from "../wire/hint.ts";
import type { HintListener } from "./hint-listener.ts";

export interface UntilFoundOptions<Found> {
  readonly listener: HintListener;
  readonly kind: HintKind;
  readonly id: string;
  /** Reads the database. Undefined: not yet. */
  readonly look: () => Promise<Found | undefined>;
  /** Ends the wait with undefined. */
  readonly signal?: AbortSignal;
}

/** Looks at once, and again on every hint and poll, until it finds something. Rejects if `look` does. */
export async function untilFound<Found>(options: UntilFoundOptions<Found>): Promise<Found | undefined> {
  const { listener, kind, id, look, signal } = options;
  let bell = Promise.withResolvers<void>();
  const ring = (): void => bell.resolve();
  const end = listener.on(kind, id, ring);
  signal?.addEventListener("abort", ring, { once: true });
  try {
    for (;;) {
      bell = Promise.withResolvers();
      const found = signal?.aborted === true ? undefined : await look();
      if (found !== undefined || signal?.aborted === true) return found;
      await bell.promise;
    }
  } finally {
    signal?.removeEventListener("abort", ring);
    end();
  }
}
