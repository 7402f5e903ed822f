/** The release of Cursor's official client that the schema's field numbers are from; clients send it as their version. */
export const AGENT_API_VERSION = "1.0.32";
