import { CONTEXT_WINDOW, type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

export function continueDev({ url, token }: RecipeValues): Recipe {
  const text = `name: Caret
version: 1.0.0
schema: v1
models:
  - name: auto
    provider: openai
    model: auto
    apiBase: ${url}/v1
    apiKey: ${token}
    roles: [chat]
    defaultCompletionOptions:
      contextLength: ${CONTEXT_WINDOW}`;
  const model = {
    name: "Caret",
    provider: "openai",
    model: "auto",
    apiBase: `${url}/v1`,
    apiKey: token,
    roles: ["chat"],
    defaultCompletionOptions: { contextLength: CONTEXT_WINDOW },
  };
  const own = ["models", { item: { name: "Caret" } }] as const;
  return {
    id: "continue",
    name: "Continue",
    door: "openai",
    about: "For its command cn, and for its extensions.",
    parts: [
      { target: "~/.continue/config.yaml", text },
      { target: TERMINAL, text: "cn" },
    ],
    installation: {
      files: [
        {
          target: "~/.continue/config.yaml",
          moved: { variable: "CONTINUE_GLOBAL_DIR", from: "~/.continue" },
          format: "yaml",
          settings: [
            // It ignores files without these two.
            { path: ["name"], value: "Caret", isOnlyAdded: true },
            { path: ["version"], value: "1.0.0", isOnlyAdded: true },
            { path: own, value: model },
          ],
          hasToken: true,
        },
      ],
      start: "cn",
      access: {
        url: [...own, "apiBase"],
        token: { form: "value", paths: [[...own, "apiKey"]] },
        model: [...own, "model"],
      },
      note: "Its model picker lists Caret; the first model of the file is its default.",
    },
    launch: { command: "cn", args: ["--config", "{directory}/config.yaml"], env: {}, files: { "config.yaml": text } },
  };
}
