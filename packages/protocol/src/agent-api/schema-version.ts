/** The release of Cursor's official client whose field numbers the schema has; what a client names as its version. */
export const AGENT_API_VERSION = "1.0.32";
