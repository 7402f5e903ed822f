import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TokenGrant } from "@caret/gateway";
import { CaretError, tokenScopes } from "@caret/protocol";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createToken, revokeToken } from "./change-tokens.ts";
import { gatewayTokens } from "./gateway-tokens.ts";
import { openTokenStore } from "./open-token-store.ts";

const now = (): number => Date.UTC(2026, 10, 15, 12);

interface Made {
  readonly secret: string;
  readonly grant: TokenGrant;
  readonly parent: Made | undefined;
  isRevoked: boolean;
}

/** What is done to the tokens, in order; a number chooses among those that are there. */
const step = fc.record({ kind: fc.constantFrom("program", "browser", "revoke"), by: fc.nat() });
/** What a token of the command line may have. */
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

/** The tokens of a gateway, and what is known of who made them. */
class Trees {
  readonly #directory = mkdtempSync(join(tmpdir(), "caret-token-trees-"));
  readonly #tokens = gatewayTokens({ place: this.#directory, now });
  readonly #store = openTokenStore({ dataDir: this.#directory });
  readonly all: Made[] = [];

  async plant(wanted: Root): Promise<void> {
    const name = `root-${this.all.length}`;
    const { secret } = await createToken(this.#directory, { ...wanted, name }, now);
    this.#add(secret.reveal(), undefined);
  }

  async do(kind: string, parent: Made): Promise<void> {
    if (kind !== "revoke") return await this.#create(kind, parent);
    await revokeToken(this.#directory, parent.grant.name, now);
    parent.isRevoked = true;
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
    if (grant === undefined) throw new Error("a token that was just made does not work");
    this.all.push({ secret, grant, parent, isRevoked: false });
  }

  works({ secret }: Made): boolean {
    return this.#store.find(secret) !== undefined;
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

it("lets no token make one that reaches further, and none outlive what made it [B16]", async () => {
  const roots = fc.array(root, { minLength: 1, maxLength: 3 });
  const steps = fc.array(step, { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(roots, steps, async (planted, done) => {
      const trees = new Trees();
      try {
        for (const wanted of planted) await trees.plant(wanted);
        for (const { kind, by } of done) {
          const parent = trees.all[by % trees.all.length];
          if (parent !== undefined) await trees.do(kind, parent);
        }
        expect(trees.all.flatMap(exceeds)).toEqual([]);
        expect(trees.all.map((token) => trees.works(token))).toEqual(trees.all.map(isToWork));
      } finally {
        trees.remove();
      }
    }),
    { numRuns: barSize({ quick: 40, full: 2_000 }) },
  );
});
