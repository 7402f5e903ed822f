import { cutPageSecret, type TokenIssuer } from "@caret/gateway";
import { type Caller, CaretError, type Secret, seesMachine, type TokenScope } from "@caret/protocol";
import { makerRevoked, type TokenMaker } from "@caret/runtime";
import { createToken, revokeToken, shelfAt, type TokenPlace, unusableName } from "./change-tokens.ts";

const BROWSER = "browser-";

export interface GatewayTokensOptions {
  /** Where they are kept: a data directory or a fleet's database. */
  readonly place: TokenPlace;
  /** Further places of tokens: a fleet's gateway also has those of its data directory. */
  readonly others?: readonly TokenPlace[];
  readonly now: () => number;
}

/** Tokens created through the gateway: ordinary ones, listed and revoked like any other. None can do more than its maker. */
export function gatewayTokens({ place, others = [], now }: GatewayTokensOptions): TokenIssuer {
  const places = [place, ...others];
  return {
    async create({ name, caller }) {
      const { workspace, user, team } = caller;
      const scopes = scopesFor(caller, ["turns", "models"]);
      const bound = workspace === undefined ? {} : { workspace };
      const madeBy = await makerOf(places, caller);
      const creating = createToken(place, { name, scopes, user, team, ...bound, madeBy }, now);
      const { secret } = await creating.catch(async (reason: unknown) => {
        throw (await isAnothers(place, name, caller)) ? unusableName(name) : reason;
      });
      return secret;
    },
    async createForBrowser(maker) {
      return await createForBrowser(place, maker, { now, madeBy: await makerOf(places, maker) });
    },
    async revokeBrowser(name) {
      if (name.startsWith(BROWSER)) await revokeToken(place, name, now);
    },
  };
}

/** Hides the fact that another user has a token of this name. */
async function isAnothers(place: TokenPlace, name: string, caller: Caller): Promise<boolean> {
  const taken = (await shelfAt(place).list()).find((entry) => entry.name === name && entry.revokedAt === undefined);
  return taken !== undefined && taken.user !== caller.user && !seesMachine(caller);
}

/** The scopes the maker itself has. Rejects with `forbidden` if the token could do nothing. */
function scopesFor({ token, tokenName }: Caller, wanted: readonly TokenScope[]): readonly TokenScope[] {
  if (token === undefined || token.scopes.includes("admin")) return wanted;
  const scopes = wanted.filter((scope) => token.scopes.includes(scope));
  if (scopes.length > 0) return scopes;
  throw new CaretError(
    "forbidden",
    `The token ${JSON.stringify(tokenName)} may not make one for clients: it lacks the scopes "${wanted.join('", "')}"`,
    { fix: "Use a token that has one of them: `caret token ls` shows which." },
  );
}

/**
 * The token that creates another one; undefined for the gateway itself and for programs on its Unix socket. Rejects with `unauthenticated`
 * if it was revoked: the link it created must not outlive it as a browser's token.
 */
async function makerOf(
  places: readonly TokenPlace[],
  { token, tokenName: name }: Caller,
): Promise<TokenMaker | undefined> {
  if (token?.id === undefined) return undefined;
  const maker = { name, sha256: token.id };
  const tokens = (await Promise.all(places.map((place) => shelfAt(place).list()))).flat();
  if (tokens.some(({ sha256, revokedAt }) => sha256 === token.id && revokedAt === undefined)) return maker;
  throw makerRevoked(maker);
}

const cookieOf = (secret: Secret): string => cutPageSecret(secret).cookie;

/** Named after the day it signed in, so `caret token ls` shows which browser is which. */
async function createForBrowser(
  place: TokenPlace,
  caller: Caller,
  { now, madeBy }: { readonly now: () => number; readonly madeBy: TokenMaker | undefined },
): Promise<Secret> {
  const { user, team, seesAll, workspace } = caller;
  const bound = workspace === undefined ? {} : { workspace };
  const whose = { user, team, seesAll, ...bound, madeBy, scopes: scopesFor(caller, ["admin"]) };
  const [day = ""] = new Date(now()).toISOString().split("T", 1);
  const taken = new Set((await shelfAt(place).list()).map(({ name }) => name));
  for (let count = 1; ; count += 1) {
    const name = `${BROWSER}${day}-${count}`;
    if (taken.has(name)) continue;
    try {
      return (await createToken(place, { name, ...whose, cookieOf }, now)).secret;
    } catch (reason) {
      // Another process took the name in between: try the next one.
      if (!CaretError.is(reason) || reason.code !== "invalid-request") throw reason;
    }
  }
}
