const MOST_MS = 100;

/**
 * Waits until it is so; fails when it does not become so. The limit only ends a wait in vain: it is long, since a busy
 * machine is no failure. It looks less and less often: looking for processes takes the CPU that they need.
 */
export async function eventually(isSo: () => boolean, what: string, timeoutMs = 20_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (let pauseMs = 5; !isSo(); pauseMs = Math.min(pauseMs * 2, MOST_MS)) {
    if (performance.now() > end) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
