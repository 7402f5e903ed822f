import { dirname } from "node:path";
import type { CodingClient } from "./coding-client.ts";

const apis = {
  "chat completions": { api: "openai-completions", path: "/v1" },
  messages: { api: "anthropic-messages", path: "" },
};

/** It sends call ids back without what is no letter or digit. */
export const openClaws: readonly CodingClient[] = Object.entries(apis).map(([door, { api, path }]) => ({
  name: `OpenClaw by ${door}`,
  package: { spec: "openclaw@2026.9.6", command: "openclaw" },
  prepare: ({ url, token, repository }) => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const limits = { contextWindow: 200_000, maxTokens: 8_000 };
    const model = { id: "auto", name: "auto", reasoning: false, input: ["text"], cost, ...limits };
    const provider = { baseUrl: url + path, apiKey: token, api, models: [model] };
    const settings = {
      models: { providers: { caret: provider } },
      agents: { defaults: { model: { primary: "caret/auto" }, workspace: repository.directory } },
    };
    const file = repository.keep(".openclaw/openclaw.json", JSON.stringify(settings));
    return {
      args: ["agent", "--local", "--agent", "main", "--session-id", "basket", "--message"],
      env: { OPENCLAW_STATE_DIR: dirname(file) },
    };
  },
  // Its session has a name, which is among the arguments already.
  goOn: [],
}));
