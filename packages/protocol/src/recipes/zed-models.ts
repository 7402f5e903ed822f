import { CONTEXT_WINDOW, type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

/** Caret's models for Zed's own agent. Caret as an agent in Zed is in `acpEditors`. */
export function zedModels({ url, token }: RecipeValues): Recipe {
  const model = { name: "auto", display_name: "Caret", max_tokens: CONTEXT_WINDOW, capabilities: { tools: true } };
  const caret = { api_url: `${url}/v1`, available_models: [model] };
  const settings = { language_models: { openai_compatible: { caret } } };
  return {
    id: "zed-models",
    name: "Zed's own agent",
    door: "openai",
    about:
      "Zed takes the token from CARET_API_KEY when it is started from a terminal, or in the settings of its agent panel.",
    parts: [
      { target: "~/.config/zed/settings.json", text: JSON.stringify(settings, undefined, 2) },
      { target: TERMINAL, text: `export CARET_API_KEY=${token}\nzed` },
    ],
  };
}
