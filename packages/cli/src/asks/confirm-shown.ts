import { setTimeout as pause } from "node:timers/promises";
import type { Host } from "../host/host.ts";
import { write } from "../terminal/print.ts";
import { readTypedLines } from "../terminal/typed-lines.ts";
import { ARM_MS } from "./card-pages.ts";

/** Like `confirm`, about something just printed: asks after a moment, and ignores anything typed before. */
export async function confirmShown(host: Host, question: string): Promise<boolean> {
  const answer = Promise.withResolvers<string>();
  let isAsked = false;
  const lines = readTypedLines(host, {
    onLine: (line) => isAsked && answer.resolve(line),
    onStale: () => undefined,
    onClose: () => answer.resolve(""),
  });
  try {
    void lines.putAside();
    await pause(ARM_MS);
    await lines.putAside();
    isAsked = true;
    await write(host.stdout, `${question} [y/N] `);
    return /^y(?:es)?$/i.test((await answer.promise).trim());
  } finally {
    lines.close();
  }
}
