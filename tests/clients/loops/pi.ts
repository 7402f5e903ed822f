import { dirname } from "node:path";
import type { CodingClient } from "./coding-client.ts";

const apis = {
  "chat completions": { api: "openai-completions", path: "/v1" },
  responses: { api: "openai-responses", path: "/v1" },
  messages: { api: "anthropic-messages", path: "" },
};

export const pis: readonly CodingClient[] = Object.entries(apis).map(([door, { api, path }]) => ({
  name: `pi by ${door}`,
  package: { spec: "@earendil-works/pi-coding-agent@0.87.1", command: "pi" },
  prepare: ({ url, token, repository }) => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const limits = { contextWindow: 200_000, maxTokens: 8_000 };
    const model = { id: "auto", name: "auto", reasoning: false, input: ["text"], cost, ...limits };
    const provider = { baseUrl: url + path, apiKey: token, api, models: [model] };
    const models = repository.keep(".pi/models.json", JSON.stringify({ providers: { caret: provider } }));
    return {
      args: ["-p", "--provider", "caret", "--model", "auto"],
      env: { PI_CODING_AGENT_DIR: dirname(models), PI_OFFLINE: "1", PI_TELEMETRY: "0" },
    };
  },
  goOn: ["-c"],
}));
