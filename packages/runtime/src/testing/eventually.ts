/**
 * Waits until it is so; fails when it does not become so. The limit only ends a wait in vain: it is long, since a busy
 * machine is no failure.
 */
export async function eventually(isSo: () => boolean, what: string, timeoutMs = 20_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
