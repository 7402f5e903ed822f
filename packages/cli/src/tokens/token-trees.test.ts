import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TokenGrant, TokenIssuer } from "@caret/gateway";
import { CaretError, tokenScopes } from "@caret/protocol";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createToken, revokeToken } from "./change-tokens.ts";
import { fileTokens } from "./file-tokens.ts";
import { gatewayTokens } from "./gateway-tokens.ts";
import { type FileTokenStore, openTokenStore } from "./open-token-store.ts";
import { readTokenFile } from "./token-file.ts";

const now = (): number => Date.UTC(2026, 10, 15, 12);

interface Made {
  readonly secret: string;
  readonly grant: TokenGrant;
  readonly parent: Made | undefined;
  isRevoked: boolean;
}

/** Operations on the tokens, in order; a number selects one of the existing tokens. */
const step = fc.record({ kind: fc.constantFrom("program", "browser", "revoke", "renew"), by: fc.nat() });
/** Possible rights of a token created on the command line. */
const root = fc.record(
  {
    scopes: fc.uniqueArray(fc.constantFrom(...tokenScopes), { minLength: 1 }),
    user: fc.constant("anna"),
    seesAll: fc.constant(true as const),
    workspace: fc.constant("/w"),
  },
  { requiredKeys: ["scopes"] },
);
type Root = typeof root extends fc.Arbitrary<infer Value> ? Value : never;

/** The tokens of a gateway, in a fleet or stand-alone, and the known makers of each. */
class Trees {
  readonly #directory = mkdtempSync(join(tmpdir(), "caret-token-trees-"));
  /** Where the fleet keeps its tokens. */
  readonly #shelf: string;
  readonly #tokens: TokenIssuer;
  readonly #store: FileTokenStore;
  /** The store of another gateway, which knows the fleet's tokens only. */
  readonly #elsewhere: FileTokenStore | undefined;
  readonly all: Made[] = [];

  constructor(isFleet: boolean) {
    this.#shelf = isFleet ? join(this.#directory, "shelf") : this.#directory;
    const shelf = fileTokens(this.#shelf);
    const current = () => readTokenFile(this.#shelf).filter(({ revokedAt }) => revokedAt === undefined);
    const fleet = isFleet ? { ...shelf, current, noteUses: async () => undefined } : undefined;
    this.#tokens = gatewayTokens({ place: this.#shelf, others: [this.#directory], now });
    this.#store = openTokenStore({ dataDir: this.#directory, fleet, now });
    this.#elsewhere = fleet && openTokenStore({ dataDir: join(this.#directory, "elsewhere"), fleet, now });
  }

  async plant(wanted: Root): Promise<void> {
    const name = `root-${this.all.length}`;
    const { secret } = await createToken(this.#directory, { ...wanted, name }, now);
    this.#add(secret.reveal(), undefined);
  }

  async do(kind: string, parent: Made): Promise<void> {
    if (kind === "program" || kind === "browser") return await this.#create(kind, parent);
    const { name } = parent.grant;
    const place = parent.parent === undefined ? this.#directory : this.#shelf;
    // A name that was given again is another token's by now.
    const named = (await fileTokens(place).list()).find((token) => token.name === name);
    if (named?.sha256 !== parent.grant.id) return;
    await revokeToken(place, name, now);
    parent.isRevoked = true;
    if (kind === "renew") await createToken(place, { name, scopes: ["admin"] }, now);
  }

  async #create(kind: string, parent: Made): Promise<void> {
    const { name, id, ...whose } = parent.grant;
    const caller = { ...whose, tokenName: name, token: { id, scopes: whose.scopes } };
    const creating =
      kind === "browser"
        ? this.#tokens.createForBrowser(caller)
        : this.#tokens.create({ name: `program-${this.all.length}`, caller });
    const secret = await creating.catch((reason: unknown) => CaretError.from(reason).code);
    if (typeof secret === "string") expect(["forbidden", "unauthenticated"]).toContain(secret);
    else this.#add(secret.reveal(), parent);
  }

  #add(secret: string, parent: Made | undefined): void {
    const grant = this.#store.find(secret);
    // One that an orphan asked for, in the moment before its gateway knew that it is one, is an orphan from the beginning.
    if (grant === undefined && !isToWork(parent)) return;
    if (grant === undefined) throw new Error("a token that was just made does not work");
    this.all.push({ secret, grant, parent, isRevoked: false });
  }

  /** At its gateway, and at another one of the fleet. A command that revokes need not know the fleet: its gateway tells it. */
  async works({ secret, parent }: Made): Promise<boolean> {
    const here = this.#store.find(secret) !== undefined;
    if (this.#elsewhere === undefined || parent === undefined) return here;
    const there = this.#elsewhere;
    if (!here) await expect.poll(() => there.find(secret), { interval: 5 }).toBeUndefined();
    return here && there.find(secret) !== undefined;
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true });
  }
}

function isToWork(token: Made | undefined): boolean {
  return token === undefined || (!token.isRevoked && isToWork(token.parent));
}

/** In what a token reaches further than the one that made it. */
function exceeds({ grant: child, parent }: Made): readonly string[] {
  if (parent === undefined) return [];
  const { scopes, user, workspace, seesAll } = parent.grant;
  return [
    ...(scopes.includes("admin") ? [] : child.scopes.filter((scope) => !scopes.includes(scope))),
    ...(child.user === user ? [] : ["another user"]),
    ...(child.workspace === workspace ? [] : ["another workspace"]),
    ...(child.seesAll === true && seesAll !== true ? ["what all users have"] : []),
  ];
}

it.each([
  ["a gateway by itself", false],
  ["a fleet, where a command revokes at one machine", true],
])("lets no token make one that reaches further, and none outlive what made it, in %s", async (_, isFleet) => {
  const roots = fc.array(root, { minLength: 1, maxLength: 3 });
  const steps = fc.array(step, { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(roots, steps, async (planted, done) => {
      const trees = new Trees(isFleet);
      try {
        for (const wanted of planted) await trees.plant(wanted);
        for (const { kind, by } of done) {
          const parent = trees.all[by % trees.all.length];
          if (parent !== undefined) await trees.do(kind, parent);
        }
        expect(trees.all.flatMap(exceeds)).toEqual([]);
        expect(await Promise.all(trees.all.map((token) => trees.works(token)))).toEqual(trees.all.map(isToWork));
      } finally {
        trees.remove();
      }
    }),
    { numRuns: barSize({ quick: 20, full: 1_000 }) },
  );
});
