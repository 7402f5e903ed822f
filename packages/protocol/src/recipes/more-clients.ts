import { piModel, type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

/** Coding clients that speak chat completions by settings of their own. */
export function moreClients(values: RecipeValues): readonly Recipe[] {
  return [qwenCode(values), continueDev(values), cline(values), droid(values), openClaw(values)];
}

function qwenCode({ url, token }: RecipeValues): Recipe {
  const text = `export OPENAI_BASE_URL=${url}/v1
export OPENAI_API_KEY=${token}
qwen --auth-type openai -m auto`;
  return {
    id: "qwen-code",
    name: "Qwen Code",
    door: "openai",
    about: "Its own memory agent costs requests beside yours.",
    parts: [{ target: TERMINAL, text }],
  };
}

function continueDev({ url, token }: RecipeValues): Recipe {
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
      contextLength: 200000`;
  return {
    id: "continue",
    name: "Continue",
    door: "openai",
    about: "For its command cn, and for its extensions.",
    parts: [
      { target: "~/.continue/config.yaml", text },
      { target: TERMINAL, text: "cn" },
    ],
  };
}

function cline({ url, token }: RecipeValues): Recipe {
  const text = `cline auth openai-compatible --apikey ${token} --modelid auto --baseurl ${url}/v1\ncline`;
  return {
    id: "cline",
    name: "Cline",
    door: "openai",
    about: "Cline keeps the settings of the first command.",
    parts: [{ target: TERMINAL, text }],
  };
}

function droid({ url, token }: RecipeValues): Recipe {
  const model = {
    model: "auto",
    displayName: "auto",
    provider: "generic-chat-completion-api",
    baseUrl: `${url}/v1`,
    apiKey: token,
    maxOutputTokens: 8000,
  };
  return {
    id: "droid",
    name: "Droid",
    door: "openai",
    about: "Wants a login with its maker unless it is started as below.",
    parts: [
      { target: "~/.factory/settings.json", text: JSON.stringify({ customModels: [model] }, undefined, 2) },
      { target: TERMINAL, text: "export FACTORY_AIRGAP_ENABLED=true\ndroid -m custom:auto" },
    ],
  };
}

function openClaw({ url, token }: RecipeValues): Recipe {
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
