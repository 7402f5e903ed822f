import type { Host } from "../host/host.ts";

/** Waits longer than this print a line saying what is awaited. */
const QUIET_MS = 1_000;

/** Says on a terminal what takes so long; the line disappears when the work is done. Pipes stay clean. */
export async function withProgress<Result>(
  { stderr }: Pick<Host, "stderr">,
  doing: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (stderr.isTTY !== true) return await work();
  const startedAt = Date.now();
  let isShown = false;
  const timer = setInterval(() => {
    isShown = true;
    stderr.write(`\r\x1b[2K${doing} (${Math.round((Date.now() - startedAt) / 1000)}s)`);
  }, QUIET_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (isShown) stderr.write("\r\x1b[2K");
  }
}
