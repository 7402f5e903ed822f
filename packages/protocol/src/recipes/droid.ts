import { OUTPUT_LIMIT, type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

export function droid({ url, token }: RecipeValues): Recipe {
  const model = {
    model: "auto",
    displayName: "auto",
    provider: "generic-chat-completion-api",
    baseUrl: `${url}/v1`,
    apiKey: token,
    maxOutputTokens: OUTPUT_LIMIT,
  };
  const command = "FACTORY_AIRGAP_ENABLED=true droid -m custom:auto";
  const own = ["customModels", { item: { model: "auto", baseUrl: model.baseUrl } }] as const;
  return {
    id: "droid",
    name: "Droid",
    door: "openai",
    about: "Wants a login with its maker unless it is started as below.",
    parts: [
      { target: "~/.factory/settings.json", text: JSON.stringify({ customModels: [model] }, undefined, 2) },
      { target: TERMINAL, text: "export FACTORY_AIRGAP_ENABLED=true\ndroid -m custom:auto" },
    ],
    installation: {
      files: [
        {
          target: "~/.factory/settings.json",
          format: "jsonc",
          settings: [
            { path: own, value: model },
            { path: ["model"], prefix: "custom:auto" },
          ],
          hasToken: true,
        },
      ],
      start: command,
      access: {
        url: [...own, "baseUrl"],
        token: { form: "value", paths: [[...own, "apiKey"]] },
        model: [...own, "model"],
      },
    },
  };
}
