/** Replaces a secret. Needs no escaping in JSON. */
export const REDACTED = "[redacted]";
