/** What a token may do. `admin` may do everything. */
export const tokenScopes = ["turns", "models", "metrics", "sessions", "admin"] as const;
export type TokenScope = (typeof tokenScopes)[number];
