import { exportLines, toShell } from "../text/shell-words.ts";
import { CONTEXT_WINDOW, type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

export function qwenCode({ url, token, machine }: RecipeValues): Recipe {
  const variables = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: token };
  const command = "qwen --auth-type openai -m auto";
  const model = {
    id: "auto",
    name: "Caret",
    baseUrl: `${url}/v1`,
    envKey: "CARET_TOKEN",
    generationConfig: { contextWindowSize: CONTEXT_WINDOW },
  };
  const settings = { target: "~/.qwen/settings.json", format: "jsonc" } as const;
  const own = ["modelProviders", "openai", { item: { name: "Caret" } }] as const;
  return {
    id: "qwen-code",
    name: "Qwen Code",
    door: "openai",
    about: "Its own memory agent costs requests beside yours.",
    parts: [{ target: TERMINAL, text: `${exportLines(variables)}\n${command}` }],
    installation: {
      files: [{ ...settings, settings: [{ path: own, value: model }] }],
      defaults: [
        {
          ...settings,
          settings: [
            { path: ["security", "auth", "selectedType"], value: "openai" },
            { path: ["model", "name"], value: "auto" },
          ],
        },
      ],
      start: `CARET_TOKEN="$(${toShell(machine.tokenCommand)})" ${command}`,
      access: {
        url: [...own, "baseUrl"],
        token: { form: "variable", paths: [[...own, "envKey"]] },
        model: [...own, "id"],
      },
    },
    launch: { command: "qwen", args: ["--auth-type", "openai", "-m", "auto"], env: variables },
  };
}
