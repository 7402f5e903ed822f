import type { CodingClient } from "./coding-client.ts";

export const claudeCode: CodingClient = {
  name: "Claude Code",
  package: { spec: "@anthropic-ai/claude-code@2.1.325", command: "claude" },
  prepare: ({ url, token }) => ({
    args: ["-p", "--model", "auto", "--allowedTools", "Read,Write,Bash(wc:*),Bash(sh:*)", "--output-format", "text"],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: token,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
      DISABLE_AUTOUPDATER: "1",
    },
  }),
  goOn: ["-c"],
};
