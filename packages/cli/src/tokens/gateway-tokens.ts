import { cutPageSecret, type TokenIssuer } from "@caret/gateway";
import { type Caller, CaretError, type Secret } from "@caret/protocol";
import { createToken, revokeToken, shelfAt, type TokenPlace } from "./change-tokens.ts";

const BROWSER = "browser-";

export interface GatewayTokensOptions {
  /** Where they are kept: a data directory, or the database of a fleet. */
  readonly place: TokenPlace;
  /** Where tokens lie besides: a gateway of a fleet has those of its data directory, too. */
  readonly others?: readonly TokenPlace[];
  readonly now: () => number;
}

/** Tokens created through the gateway: ordinary ones, listed and revoked like any other. */
export function gatewayTokens({ place, others = [], now }: GatewayTokensOptions): TokenIssuer {
  return {
    async create({ name, caller }) {
      const { workspace, user, team } = caller;
      const bound = workspace === undefined ? {} : { workspace };
      const { secret } = await createToken(place, { name, scopes: ["turns", "models"], user, team, ...bound }, now);
      return secret;
    },
    async createForBrowser(maker) {
      await assertNotRevoked([place, ...others], maker.tokenName);
      return await createForBrowser(place, maker, now);
    },
    async revokeBrowser(name) {
      if (name.startsWith(BROWSER)) await revokeToken(place, name, now);
    },
  };
}

/** A link that was made with a token that is revoked since must not outlive it as the token of a browser. */
async function assertNotRevoked(places: readonly TokenPlace[], name: string): Promise<void> {
  const tokens = (await Promise.all(places.map((place) => shelfAt(place).list()))).flat();
  const named = tokens.filter((entry) => entry.name === name);
  // The gateway itself and a program at its Unix socket have none.
  if (named.length === 0 || named.some(({ revokedAt }) => revokedAt === undefined)) return;
  throw new CaretError("unauthenticated", "The token that made this sign-in link was revoked.", {
    fix: "Run `caret link` for a new one.",
  });
}

const cookieOf = (secret: Secret): string => cutPageSecret(secret).cookie;

/** Named after the day it signed in, so that `caret token ls` shows which browser is which. */
async function createForBrowser(
  place: TokenPlace,
  { user, team, seesAll, workspace }: Caller,
  now: () => number,
): Promise<Secret> {
  const bound = workspace === undefined ? {} : { workspace };
  const whose = { user, team, seesAll, ...bound };
  const [day = ""] = new Date(now()).toISOString().split("T", 1);
  const taken = new Set((await shelfAt(place).list()).map(({ name }) => name));
  for (let count = 1; ; count += 1) {
    const name = `${BROWSER}${day}-${count}`;
    if (taken.has(name)) continue;
    try {
      return (await createToken(place, { name, scopes: ["admin"], ...whose, cookieOf }, now)).secret;
    } catch (reason) {
      // Another process took the name in between: try the next one.
      if (!CaretError.is(reason) || reason.code !== "invalid-request") throw reason;
    }
  }
}
