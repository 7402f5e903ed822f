import { toShell } from "../text/shell-words.ts";
import { CONTEXT_WINDOW, OUTPUT_LIMIT, type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

const config = { variable: "XDG_CONFIG_HOME", from: "~/.config" };

/** Goose keeps one file per provider. */
export function goose({ url, token, machine }: RecipeValues): Recipe {
  const provider = {
    name: "caret",
    engine: "openai",
    display_name: "Caret",
    description: "Cursor's agent, through Caret",
    api_key_env: "CARET_TOKEN",
    base_url: `${url}/v1/chat/completions`,
    models: [{ name: "auto", context_limit: CONTEXT_WINDOW }],
    supports_streaming: true,
  };
  const target = "~/.config/goose/custom_providers/caret.json";
  const text = `${JSON.stringify(provider, undefined, 2)}\n`;
  const command = "goose session --provider caret --model auto";
  return {
    id: "goose",
    name: "Goose",
    door: "openai",
    about: "Goose reads the token from the variable CARET_TOKEN.",
    parts: [
      { target, text: text.trimEnd() },
      { target: TERMINAL, text: `export CARET_TOKEN=${token}\n${command}` },
    ],
    installation: {
      files: [{ target, moved: config, format: "jsonc", text }],
      defaults: [
        {
          target: "~/.config/goose/config.yaml",
          moved: config,
          format: "yaml",
          settings: [
            { path: ["GOOSE_PROVIDER"], value: "caret", prefix: "caret" },
            { path: ["GOOSE_MODEL"], value: "auto", prefix: "auto" },
          ],
        },
      ],
      start: `CARET_TOKEN="$(${toShell(machine.tokenCommand)})" ${command}`,
      access: { url: ["base_url"], token: { form: "variable", paths: [["api_key_env"]] } },
    },
    launch: {
      command: "goose",
      args: [],
      env: { GOOSE_PROVIDER: "openai", GOOSE_MODEL: "auto", OPENAI_HOST: url, OPENAI_API_KEY: token },
    },
  };
}

export function crush({ url, token, machine }: RecipeValues): Recipe {
  const provider = (key: string) => ({
    type: "openai-compat",
    name: "Caret",
    base_url: `${url}/v1`,
    api_key: key,
    models: [{ id: "auto", name: "auto", context_window: CONTEXT_WINDOW, default_max_tokens: OUTPUT_LIMIT }],
  });
  const target = "~/.config/crush/crush.json";
  const own = ["providers", "caret"];
  return {
    id: "crush",
    name: "Crush",
    door: "openai",
    about: "Choose Caret's model with /model.",
    parts: [
      { target, text: JSON.stringify({ providers: { caret: provider(token) } }, undefined, 2) },
      { target: TERMINAL, text: "crush" },
    ],
    installation: {
      files: [
        {
          target,
          moved: config,
          format: "jsonc",
          settings: [{ path: own, value: provider(`$(${toShell(machine.tokenCommand)})`) }],
        },
      ],
      start: "crush",
      access: {
        url: [...own, "base_url"],
        token: { form: "shell", paths: [[...own, "api_key"]] },
      },
    },
  };
}
