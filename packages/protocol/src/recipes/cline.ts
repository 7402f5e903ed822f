import { type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

/** Cline's name for a custom provider. It allows only one, so the user's is set aside while ours is installed. */
const PROVIDER = "openai-compatible";

export function cline({ url, token }: RecipeValues): Recipe {
  const text = `cline auth ${PROVIDER} --apikey ${token} --modelid auto --baseurl ${url}/v1\ncline`;
  const settings = { provider: PROVIDER, apiKey: token, model: "auto", baseUrl: `${url}/v1` };
  // Cline drops entries without a date.
  const entry = { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" };
  const whole = { version: 1, lastUsedProvider: PROVIDER, modes: {}, providers: { [PROVIDER]: entry } };
  const own = ["providers", PROVIDER] as const;
  const file = { target: "~/.cline/data/settings/providers.json", format: "jsonc", hasToken: true } as const;
  return {
    id: "cline",
    name: "Cline",
    door: "openai",
    about: "Cline keeps the settings of the first command.",
    parts: [{ target: TERMINAL, text }],
    installation: {
      files: [
        {
          ...file,
          settings: [
            { path: ["version"], value: 1, isOnlyAdded: true },
            { path: ["modes"], value: {}, isOnlyAdded: true },
            { path: own, value: entry },
            // Cline defaults to the provider used last.
            { path: ["lastUsedProvider"], prefix: PROVIDER },
          ],
        },
      ],
      defaults: [{ ...file, settings: [{ path: ["lastUsedProvider"], value: PROVIDER, prefix: PROVIDER }] }],
      start: `cline -P ${PROVIDER} -m auto`,
      access: {
        url: [...own, "settings", "baseUrl"],
        token: { form: "value", paths: [[...own, "settings", "apiKey"]] },
        model: [...own, "settings", "model"],
      },
    },
    launch: {
      command: "cline",
      args: ["--data-dir", "{directory}"],
      env: {},
      files: { "settings/providers.json": JSON.stringify(whole) },
    },
  };
}
