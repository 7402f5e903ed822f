import { exportLines, toShell } from "../text/shell-words.ts";
import { CONTEXT_WINDOW, OUTPUT_LIMIT, type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

/** VS Code asks for it once, under this name. */
const ASKED_TOKEN = ["$", "{input:caret-token}"].join("");

/** Copilot's command has no settings for providers other than GitHub: it reads variables. */
export function copilotCli({ url, token, machine }: RecipeValues): Recipe {
  const variables = {
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_PROVIDER_API_KEY: token,
    COPILOT_MODEL: "auto",
  };
  const byCommand = { ...variables, COPILOT_PROVIDER_API_KEY: `$(${toShell(machine.tokenCommand)})` };
  const own = "{data}/clients/copilot-cli.sh";
  return {
    id: "copilot-cli",
    name: "Copilot CLI",
    door: "openai",
    about: "Needs no login with GitHub.",
    parts: [{ target: TERMINAL, text: `${exportLines(variables)}\ncopilot` }],
    installation: {
      files: [{ target: own, format: "variables", text: `${exportLines(byCommand)}\n` }],
      start: `. ${own}; copilot`,
      access: {
        url: ["COPILOT_PROVIDER_BASE_URL"],
        token: { form: "shell", paths: [["COPILOT_PROVIDER_API_KEY"]] },
        model: ["COPILOT_MODEL"],
      },
    },
    launch: { command: "copilot", args: [], env: variables },
  };
}

/** VS Code's chat asks its user for the token and keeps it in the system's keyring. */
export function copilotVsCode({ url, token }: RecipeValues): Recipe {
  const provider = {
    name: "Caret",
    vendor: "customendpoint",
    apiKey: ASKED_TOKEN,
    apiType: "chat-completions",
    models: [
      {
        id: "auto",
        name: "Caret",
        url: `${url}/v1/chat/completions`,
        toolCalling: true,
        vision: false,
        maxInputTokens: CONTEXT_WINDOW - OUTPUT_LIMIT,
        maxOutputTokens: OUTPUT_LIMIT,
      },
    ],
  };
  return {
    id: "vscode",
    name: "VS Code Copilot",
    door: "openai",
    about: "For its chat, from version 1.122 on, as a custom endpoint.",
    parts: [
      { target: "chatLanguageModels.json of VS Code's user directory", text: JSON.stringify([provider], undefined, 2) },
      { target: "VS Code, when it asks for the token", text: token },
    ],
    installation: {
      files: [
        {
          target: "~/.config/Code/User/chatLanguageModels.json",
          moved: { variable: "XDG_CONFIG_HOME", from: "~/.config" },
          systems: {
            darwin: "~/Library/Application Support/Code/User/chatLanguageModels.json",
            win32: "~/AppData/Roaming/Code/User/chatLanguageModels.json",
          },
          format: "jsonc",
          settings: [{ path: [{ item: { name: "Caret" } }], value: provider }],
        },
      ],
      start: "code",
      note: "VS Code asks for the token when the model is first used: `caret token print install-vscode` prints it.",
    },
  };
}
