import type { Writable } from "node:stream";

/** Lines at the end of a terminal that are rewritten in place. */
export interface LiveLines {
  show(lines: readonly string[]): void;
  /** Removes them; the next output takes their place. */
  clear(): void;
}

export function createLiveLines(stdout: Writable): LiveLines {
  let shown = 0;
  const back = (): string => (shown === 0 ? "" : `\x1b[${shown}A\r\x1b[J`);
  return {
    show(lines) {
      stdout.write(`${back()}${lines.map((line) => `${line}\n`).join("")}`);
      shown = lines.length;
    },
    clear() {
      if (shown > 0) stdout.write(back());
      shown = 0;
    },
  };
}
