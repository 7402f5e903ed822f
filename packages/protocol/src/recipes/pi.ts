import { CONTEXT_WINDOW, OUTPUT_LIMIT, type Recipe, type RecipeValues, TERMINAL, withDataDir } from "./recipe.ts";

/** A model in the format of pi and of OpenClaw, which is based on it. */
const piModel = {
  id: "auto",
  name: "auto",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: CONTEXT_WINDOW,
  maxTokens: OUTPUT_LIMIT,
};

export function pi({ url, token, machine }: RecipeValues): Recipe {
  const caret = { baseUrl: `${url}/v1`, apiKey: token, api: "openai-completions", models: [piModel] };
  const extension = `${machine.packages}/pi-provider`;
  const moved = { variable: "PI_CODING_AGENT_DIR", from: "~/.pi/agent" };
  const settings = { target: "~/.pi/agent/settings.json", moved, format: "jsonc" } as const;
  return {
    id: "pi",
    name: "pi",
    door: "openai",
    about: "In pi's own directory. Needs Node 22.",
    parts: [
      { target: "~/.pi/agent/models.json", text: JSON.stringify({ providers: { caret } }, undefined, 2) },
      { target: TERMINAL, text: "pi --provider caret --model auto" },
    ],
    installation: {
      files: [
        {
          ...settings,
          settings: [
            { path: ["packages", { item: extension }], value: extension },
            { path: ["defaultProvider"], prefix: "caret" },
          ],
        },
      ],
      defaults: [
        {
          ...settings,
          settings: [
            { path: ["defaultProvider"], value: "caret", prefix: "caret" },
            { path: ["defaultModel"], value: "auto", prefix: "auto" },
          ],
        },
      ],
      start: withDataDir(machine, "pi --provider caret --model auto"),
      needs: extension,
    },
    launch: {
      command: "pi",
      args: ["-e", extension, "--provider", "caret", "--model", "auto"],
      env: { CARET_URL: url, CARET_TOKEN: token },
      needs: extension,
    },
  };
}

export function openClaw({ url, token }: RecipeValues): Recipe {
  const caret = { baseUrl: `${url}/v1`, apiKey: token, api: "openai-completions", models: [piModel] };
  const settings = {
    models: { providers: { caret } },
    agents: { defaults: { model: { primary: "caret/auto" } } },
  };
  return {
    id: "openclaw",
    name: "OpenClaw",
    door: "openai",
    about: "Needs Node 24.16. Your project is its workspace: agents.defaults.workspace.",
    parts: [
      { target: "~/.openclaw/openclaw.json", text: JSON.stringify(settings, undefined, 2) },
      { target: TERMINAL, text: 'openclaw agent --local --agent main --session-id mine --message "Say hello."' },
    ],
  };
}
