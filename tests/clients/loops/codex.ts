import { dirname } from "node:path";
import type { CodingClient } from "./coding-client.ts";

export const codex: CodingClient = {
  name: "Codex",
  package: { spec: "@openai/codex@0.166.0", command: "codex" },
  prepare: ({ url, token, repository }) => {
    // The repository is thrown away, and Codex's own sandbox does not work inside another one.
    const settings = repository.keep(
      ".codex/config.toml",
      `model = "auto"
model_provider = "caret"
model_context_window = 200000
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.caret]
name = "Caret"
base_url = "${url}/v1"
env_key = "CARET_TOKEN"
wire_api = "responses"

[features]
plugins = false
apps = false
`,
    );
    return {
      args: ["exec", "--skip-git-repo-check"],
      env: { CODEX_HOME: dirname(settings), CARET_TOKEN: token },
    };
  },
  goOn: ["resume", "--last"],
};
