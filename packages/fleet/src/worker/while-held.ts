import { createPatience } from "../log/patience.ts";

/**
 * Retries while the database is away, for as long as the key is held here: a gateway waits for what it writes. `work` must be safe to
 * repeat: an earlier attempt may have succeeded, with its result lost with the connection.
 */
export async function whileHeld<Outcome>(work: () => Promise<Outcome>, lost: AbortSignal): Promise<Outcome> {
  const patience = createPatience();
  const giveUp = (): void => patience.limit(0);
  if (lost.aborted) giveUp();
  lost.addEventListener("abort", giveUp, { once: true });
  try {
    return await patience.retry(work, { keepTrying: true });
  } finally {
    lost.removeEventListener("abort", giveUp);
  }
}
