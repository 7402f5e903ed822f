import type { CodingClient } from "./coding-client.ts";

export const qwenCode: CodingClient = {
  name: "Qwen Code",
  package: { spec: "@qwen-code/qwen-code@0.24.4", command: "qwen" },
  prepare: ({ url, token, repository }) => {
    const settings = { privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false } };
    repository.keep(".qwen/settings.json", JSON.stringify(settings));
    return {
      args: ["--auth-type", "openai", "-m", "auto", "-y"],
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: token },
    };
  },
  goOn: ["-c"],
};
