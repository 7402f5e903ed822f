/** Upper bound on any command's run time. */
export const MAX_TIMEOUT_MS = 600_000;
