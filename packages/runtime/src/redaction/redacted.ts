/** What stands where a secret stood. It needs no escaping in JSON. */
export const REDACTED = "[redacted]";
