import type { CodingClient } from "./coding-client.ts";

/** OpenCode reaches each of our doors through another of the libraries that it brings along. */
const libraries = {
  "chat completions": "@ai-sdk/openai-compatible",
  responses: "@ai-sdk/openai",
  messages: "@ai-sdk/anthropic",
};

export const openCodes: readonly CodingClient[] = Object.entries(libraries).map(([door, library]) => ({
  name: `OpenCode by ${door}`,
  package: { spec: "opencode-ai@1.18.33", command: "opencode" },
  prepare: ({ url, token, repository }) => {
    const limit = { context: 200_000, output: 8_000 };
    const options = { baseURL: `${url}/v1`, apiKey: token };
    const provider = { npm: library, name: "Caret", options, models: { auto: { name: "auto", limit } } };
    const settings = {
      provider: { caret: provider },
      permission: { "*": "allow" },
      share: "disabled",
      autoupdate: false,
    };
    repository.keep(".config/opencode/opencode.json", JSON.stringify(settings));
    return {
      args: ["run", "--model", "caret/auto"],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      },
    };
  },
  goOn: ["-c"],
}));
