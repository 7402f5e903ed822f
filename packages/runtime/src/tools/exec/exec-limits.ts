/** No command runs longer. */
export const MAX_TIMEOUT_MS = 600_000;
