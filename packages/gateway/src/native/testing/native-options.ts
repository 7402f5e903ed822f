import {
  type AboutView,
  CaretError,
  type Comparisons,
  Secret,
  type Sessions,
  type SettingsView,
} from "@caret/protocol";
import type { TokenGrant } from "../../access/token-store.ts";
import type { NativeDoorOptions } from "../native-door-options.ts";
import { createSignInLinks } from "../sign-in-links.ts";

export const blankAbout: AboutView = {
  version: "1.2.3",
  tokenName: "",
  lanes: [{ lane: "sim", ready: true, simulated: true }],
  defaultLane: "sim",
  defaultModel: "auto",
  defaultPermission: "auto-edits",
  workspaces: ["/w"],
  sandbox: "none",
};

const blankSettings: SettingsView = { file: "/home/ada/.config/caret/caret.json", settings: [] };

const noComparison = async (): Promise<never> => {
  throw new CaretError("not-found", "There are no comparisons here");
};

const noComparisons: Comparisons = {
  start: noComparison,
  list: async () => [],
  get: noComparison,
  follow: () => ({ [Symbol.asyncIterator]: () => ({ next: noComparison }) }),
  pick: noComparison,
  drop: noComparison,
};

/** Options of a native door over scripted sessions, with tokens in memory. */
export function nativeOptions(sessions: Sessions, tokens: Map<string, TokenGrant>): NativeDoorOptions {
  let browsers = 0;
  const now = (): number => Date.now();
  return {
    sessions,
    comparisons: noComparisons,
    about: async ({ tokenName }) => ({ ...blankAbout, tokenName }),
    models: async ({ refresh }) => [{ id: refresh ? "fresh" : "auto", name: "Auto", isDefault: true, variants: [] }],
    doctor: async () => [{ check: "node", state: "ok", detail: "24" }],
    tokens: {
      async create({ name, caller: { workspace } }) {
        if (name === "") throw new CaretError("invalid-request", "A token needs a name");
        tokens.set(`secret-of-${name}`, { name, scopes: ["turns", "models"], workspace });
        return new Secret(`secret-of-${name}`);
      },
      async createForBrowser() {
        browsers += 1;
        const secret = `caret_${browsers}-browser-secret-number-${browsers}`;
        tokens.set(secret, { name: `browser-${browsers}`, scopes: ["admin"] });
        return new Secret(secret);
      },
      async revokeBrowser(name) {
        for (const [secret, grant] of tokens)
          if (grant.name === name && name.startsWith("browser-")) tokens.delete(secret);
      },
    },
    workspaces: { allow: async (path) => path, allowForNow: async (path) => path, sample: async () => "/sample" },
    settings: {
      read: async () => blankSettings,
      change: async ({ changes }) => ({ ...blankSettings, file: Object.keys(changes).join() }),
      testWebhook: async () => undefined,
    },
    links: createSignInLinks({ now }),
    now,
    keepAliveMs: 60_000,
  };
}
