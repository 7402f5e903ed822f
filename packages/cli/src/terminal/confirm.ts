import { createInterface } from "node:readline/promises";
import type { Host } from "../host/host.ts";

/** Asks a person at the terminal. No terminal, Ctrl-C or Ctrl-D: no answer is no consent. */
export async function confirm(host: Host, question: string): Promise<boolean> {
  if (host.stdin.isTTY !== true) return false;
  const asking = createInterface({ input: host.stdin, output: host.stdout });
  try {
    return /^y(?:es)?$/i.test((await asking.question(`${question} [y/N] `)).trim());
  } catch {
    return false; // closed while waiting
  } finally {
    asking.close();
  }
}
