import type { Gateway } from "./gateway.ts";
import type { ModelConfig, OpenCodeConfig } from "./open-code.ts";

/** Our own name, and that of open-cursor's provider, for users who come from there. */
export const PROVIDER = "caret";
const FORMER = "cursor-acp";

export const providerIds: ReadonlySet<string> = new Set([PROVIDER, FORMER]);

/** Puts the provider into OpenCode's settings. What the user has set there stays, but for the address and the token. */
export function addProviders(
  config: OpenCodeConfig,
  { url, token }: Pick<Gateway, "url" | "token">,
  models: Readonly<Record<string, ModelConfig>>,
): void {
  const providers = config.provider ?? {};
  config.provider = providers;
  for (const id of isFormerUser(config) ? providerIds : [PROVIDER]) {
    const own = providers[id] ?? {};
    providers[id] = {
      npm: "@ai-sdk/openai-compatible",
      name: "Caret",
      ...own,
      options: { ...own.options, baseURL: new URL("/v1", url).href, apiKey: token },
      models: { ...models, ...own.models },
    };
  }
}

function isFormerUser({ provider, model, small_model: small }: OpenCodeConfig): boolean {
  const names = [model, small].filter((name) => name !== undefined);
  return provider?.[FORMER] !== undefined || names.some((name) => name.startsWith(`${FORMER}/`));
}
