import { cutPageSecret, type TokenIssuer } from "@caret/gateway";
import { CaretError, type Secret } from "@caret/protocol";
import { createToken, revokeToken } from "./change-tokens.ts";
import { readTokenFile } from "./token-file.ts";

const BROWSER = "browser-";

export interface GatewayTokensOptions {
  readonly dataDir: string;
  readonly now: () => number;
}

/** Tokens created through the gateway: ordinary ones, listed and revoked like any other. */
export function gatewayTokens({ dataDir, now }: GatewayTokensOptions): TokenIssuer {
  return {
    async create({ name, workspace }) {
      const bound = workspace === undefined ? {} : { workspace };
      const { secret } = await createToken(dataDir, { name, scopes: ["turns", "models"], ...bound }, now);
      return secret;
    },
    createForBrowser: () => createForBrowser(dataDir, now),
    async revokeBrowser(name) {
      if (name.startsWith(BROWSER)) await revokeToken(dataDir, name, now);
    },
  };
}

const cookieOf = (secret: Secret): string => cutPageSecret(secret).cookie;

/** Named after the day it signed in, so that `caret token ls` shows which browser is which. */
async function createForBrowser(dataDir: string, now: () => number): Promise<Secret> {
  const [day = ""] = new Date(now()).toISOString().split("T", 1);
  const taken = new Set(readTokenFile(dataDir).map(({ name }) => name));
  for (let count = 1; ; count += 1) {
    const name = `${BROWSER}${day}-${count}`;
    if (taken.has(name)) continue;
    try {
      return (await createToken(dataDir, { name, scopes: ["admin"], cookieOf }, now)).secret;
    } catch (reason) {
      // Another process took the name in between: try the next one.
      if (!CaretError.is(reason) || reason.code !== "invalid-request") throw reason;
    }
  }
}
