import type { ClientProcess } from "../process/find-client-process.ts";

const CHECK_MS = 5_000;

/**
 * Tells when the process of a client has been gone for `goneMs`. It need not be the client itself that has ended: a script
 * may send each request by a program of its own, and come back with the next one. Gives what stops it.
 */
export function watchClient(
  client: Promise<ClientProcess | undefined>,
  { goneMs, now }: { readonly goneMs: number; readonly now: () => number },
  onGone: () => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let hasStopped = false;
  let goneSince: number | undefined;
  const stop = (): void => {
    hasStopped = true;
    clearInterval(timer);
  };
  const check = (known: ClientProcess): void => {
    if (known.isAlive()) return;
    goneSince ??= now();
    if (now() - goneSince < goneMs) return;
    stop();
    onGone();
  };
  void client.then((known) => {
    if (known === undefined || hasStopped) return;
    timer = setInterval(check, Math.min(CHECK_MS, goneMs), known).unref();
  });
  return stop;
}
