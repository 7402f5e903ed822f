import type { EscapeAttempt } from "./escape-attempt.ts";
import { fileAttempts } from "./file-attempts.ts";
import { kernelAttempts } from "./kernel-attempts.ts";
import { networkAttempts } from "./network-attempts.ts";
import { processAttempts } from "./process-attempts.ts";
import { settingsAttempts } from "./settings-attempts.ts";

/** Those that mean something for this user and a sandbox of this word. */
export function allAttempts({
  isRoot,
  word,
}: {
  readonly isRoot: boolean;
  readonly word: string;
}): readonly EscapeAttempt[] {
  const all = [...fileAttempts, ...settingsAttempts, ...processAttempts, ...networkAttempts, ...kernelAttempts];
  const isOfUser = ({ by }: EscapeAttempt): boolean => by === undefined || (by === "root") === isRoot;
  return all.filter((attempt) => isOfUser(attempt) && (attempt.word === undefined || word !== "on"));
}
