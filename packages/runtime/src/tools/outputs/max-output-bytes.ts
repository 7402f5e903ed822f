/** What one call may return, notes included. */
export const MAX_OUTPUT_BYTES = 64 * 1024;
