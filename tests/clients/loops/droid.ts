import type { CodingClient } from "./coding-client.ts";

export const droid: CodingClient = {
  name: "Droid",
  package: { spec: "droid@0.215.0", command: "droid" },
  prepare: ({ url, token, repository }) => {
    const settings = {
      customModels: [
        {
          model: "auto",
          displayName: "auto",
          provider: "generic-chat-completion-api",
          baseUrl: `${url}/v1`,
          apiKey: token,
          maxOutputTokens: 8000,
        },
      ],
    };
    repository.keep(".factory/settings.json", JSON.stringify(settings));
    return { args: ["exec", "--auto", "high", "-m", "custom:auto"], env: { FACTORY_AIRGAP_ENABLED: "true" } };
  },
};
