import type { CodingClient } from "./coding-client.ts";

export const continueDev: CodingClient = {
  name: "Continue",
  package: { spec: "@continuedev/cli@1.5.47", command: "cn" },
  prepare: ({ url, token, repository }) => {
    const config = repository.keep(
      ".continue/config.yaml",
      `name: Caret
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
      contextLength: 200000
`,
    );
    return { args: ["-p", "--auto", "--config", config], env: { CONTINUE_TELEMETRY_ENABLED: "0" } };
  },
  goOn: ["--resume"],
};
