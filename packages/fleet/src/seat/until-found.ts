import type { HintKind } from "../wire/hint.ts";
import type { HintListener } from "./hint-listener.ts";

export interface UntilFoundOptions<Found> {
  readonly listener: HintListener;
  readonly kind: HintKind;
  readonly id: string;
  /** Looks into the database. Undefined: not yet. */
  readonly look: () => Promise<Found | undefined>;
  /** Ends the wait with nothing. */
  readonly signal?: AbortSignal;
}

/** Looks at once, with every hint and with every poll, until something is there. What the look throws ends the wait. */
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
