import { CONTEXT_WINDOW, type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

export function codex({ url, token, machine }: RecipeValues): Recipe {
  const head = `model = "auto"
model_provider = "caret"
model_context_window = ${CONTEXT_WINDOW}

[model_providers.caret]
name = "Caret"
base_url = "${url}/v1"
wire_api = "responses"
`;
  const [program = "", ...args] = machine.tokenCommand;
  const auth = `
[model_providers.caret.auth]
command = ${JSON.stringify(program)}
args = ${JSON.stringify(args)}
`;
  const provider = { name: "Caret", base_url: `${url}/v1`, env_key: "CARET_TOKEN", wire_api: "responses" };
  const fields = Object.entries(provider).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const overrides = {
    model: '"auto"',
    model_provider: '"caret"',
    model_context_window: `${CONTEXT_WINDOW}`,
    "model_providers.caret": `{${fields.join(",")}}`,
  };
  return {
    id: "codex",
    name: "Codex",
    door: "responses",
    about: "Codex reads the token from the variable CARET_TOKEN.",
    parts: [
      {
        target: "~/.codex/config.toml",
        text: head.replace("wire_api", 'env_key = "CARET_TOKEN"\nwire_api').trimEnd(),
      },
      { target: TERMINAL, text: `export CARET_TOKEN=${token}\ncodex` },
    ],
    installation: {
      files: [
        {
          target: "~/.codex/caret.config.toml",
          moved: { variable: "CODEX_HOME", from: "~/.codex" },
          format: "toml",
          text: head + auth,
        },
      ],
      start: "codex --profile caret",
      access: {
        url: ["model_providers", "caret", "base_url"],
        token: {
          form: "words",
          paths: [
            ["model_providers", "caret", "auth", "command"],
            ["model_providers", "caret", "auth", "args"],
          ],
        },
        model: ["model"],
      },
    },
    launch: {
      command: "codex",
      args: Object.entries(overrides).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      env: { CARET_TOKEN: token },
    },
  };
}
