import { exportLines, toShell } from "../text/shell-words.ts";
import { type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

export function claudeCode({ url, token, machine }: RecipeValues): Recipe {
  const env = {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_DEFAULT_OPUS_MODEL: "auto",
    ANTHROPIC_DEFAULT_SONNET_MODEL: "auto",
    ANTHROPIC_DEFAULT_HAIKU_MODEL: "auto",
    CLAUDE_CODE_SUBAGENT_MODEL: "auto",
    // After an answer breaks off, its second request would run the tools twice.
    CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
  };
  const settings = { apiKeyHelper: toShell(machine.tokenCommand), model: "auto", env };
  const shown = exportLines({ ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: token });
  const own = "{data}/clients/claude-code.json";
  return {
    id: "claude-code",
    name: "Claude Code",
    door: "anthropic",
    about: "Claude Code runs its own tools, in its own directory.",
    parts: [{ target: TERMINAL, text: `${shown}\nclaude --model auto` }],
    installation: {
      files: [{ target: own, format: "jsonc", text: `${JSON.stringify(settings, undefined, 2)}\n` }],
      defaults: [
        {
          target: "~/.claude/settings.json",
          moved: { variable: "CLAUDE_CONFIG_DIR", from: "~/.claude" },
          format: "jsonc",
          settings: [
            { path: ["apiKeyHelper"], value: settings.apiKeyHelper },
            { path: ["model"], value: settings.model },
            ...Object.entries(env).map(([name, value]) => ({ path: ["env", name], value })),
          ],
        },
      ],
      start: `claude --settings ${own}`,
      access: {
        url: ["env", "ANTHROPIC_BASE_URL"],
        token: { form: "shell", paths: [["apiKeyHelper"]] },
        model: ["model"],
      },
    },
    launch: {
      command: "claude",
      args: ["--model", "auto"],
      // Given a key besides the token, it asks which one to use.
      env: { ...env, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: undefined },
    },
  };
}
