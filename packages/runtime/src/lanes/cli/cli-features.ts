/** Options that only newer versions of the CLI take: an older one ends with "unknown option". */
export interface CliFeatures {
  /** `--new-session-id <uuid>`: the turn makes its chat under that id, once. */
  readonly newSessionId: boolean;
  /** `--background-shell-timeout <s>`: how long the end of the turn waits for commands in the background. */
  readonly backgroundShellTimeout: boolean;
}

/** The version on which these options were seen to work. Versions begin with their date and so sort as text. */
const SEEN_IN = "2026.10.01";

/** What a version can do. Nothing is asked of one that is not known. */
export function cliFeatures(version: string | undefined): CliFeatures {
  const isNew = version !== undefined && version >= SEEN_IN;
  return { newSessionId: isNew, backgroundShellTimeout: isNew };
}
