import { CliFailure } from "../process/cli-failure.ts";

export interface CatalogueModel {
  readonly id: string;
  readonly name: string;
  readonly aliases?: readonly string[];
}

/** What a fresh installation uses until the user picks a model. */
export const defaultModelId = "composer-2.5-fast";

/** A plausible cut of the catalogue; the real one is the server's and changes weekly, so scenarios may replace it. */
export const builtInModels: readonly CatalogueModel[] = [
  { id: "auto", name: "Auto", aliases: ["default"] },
  { id: "composer-2.5", name: "Composer 2.5", aliases: ["composer"] },
  { id: "composer-2.5-fast", name: "Composer 2.5 Fast" },
  { id: "gpt-5.1", name: "GPT-5.1" },
  { id: "gpt-5.2", name: "GPT-5.2" },
  { id: "gpt-5.2-high", name: "GPT-5.2 High" },
  { id: "gpt-5.3-codex", name: "GPT-5.3 Codex" },
  { id: "gpt-5.3-codex-high", name: "GPT-5.3 Codex High" },
  { id: "gpt-5.3-codex-xhigh-fast", name: "GPT-5.3 Codex Extra High Fast" },
  { id: "gpt-5.4", name: "GPT-5.4" },
  { id: "gpt-5.4-low", name: "GPT-5.4 Low" },
  { id: "gpt-5.4-high", name: "GPT-5.4 High" },
  { id: "gpt-5.4-high-fast", name: "GPT-5.4 High Fast" },
  { id: "gpt-5.4-mini-low", name: "GPT-5.4 Mini Low" },
  { id: "gpt-5.4-mini-high", name: "GPT-5.4 Mini High" },
  { id: "gpt-5.4-nano-medium", name: "GPT-5.4 Nano" },
  { id: "gpt-5-mini", name: "GPT-5 Mini" },
  { id: "gpt-5.5-medium", name: "GPT-5.5" },
  { id: "gpt-5.5-high", name: "GPT-5.5 High" },
  { id: "gpt-5.5-extra-high", name: "GPT-5.5 Extra High" },
  { id: "gpt-5.6-sol-medium", name: "GPT-5.6 Sol" },
  { id: "gpt-5.6-sol-max", name: "GPT-5.6 Sol Max" },
  { id: "cursor-grok-4.5-high", name: "Grok 4.5 High", aliases: ["grok-4.5"] },
  { id: "grok-4.7-high-fast", name: "Grok 4.7 High Fast\u200b\u200b" },
  { id: "claude-opus-5-medium", name: "Opus 5" },
  { id: "claude-opus-5-high", name: "Opus 5 High" },
  { id: "claude-opus-5-thinking-high", name: "Opus 5 High Thinking", aliases: ["opus"] },
  { id: "claude-opus-5-thinking-max-fast", name: "Opus 5 Max Thinking Fast" },
  { id: "claude-opus-4-8-high", name: "Opus 4.8 High" },
  { id: "claude-fable-5-low", name: "Fable 5 1M Low (NO ZDR)" },
  { id: "claude-sonnet-5-medium", name: "Sonnet 5", aliases: ["sonnet"] },
  { id: "claude-sonnet-5-thinking-high", name: "Sonnet 5 High Thinking" },
  { id: "claude-4.6-sonnet-medium", name: "Sonnet 4.6", aliases: ["sonnet-4.6"] },
  { id: "claude-4.6-sonnet-medium-thinking", name: "Sonnet 4.6 Thinking", aliases: ["sonnet-4.6-thinking"] },
  { id: "claude-4.6-opus-high-thinking", name: "Opus 4.6 Thinking", aliases: ["opus-4.6-thinking"] },
  { id: "claude-4.6-opus-high", name: "Opus 4.6", aliases: ["opus-4.6"] },
  { id: "claude-4.5-sonnet", name: "Sonnet 4.5" },
  { id: "gemini-3.1-pro", name: "Gemini 3.1 Pro" },
  { id: "gemini-3-flash", name: "Gemini 3 Flash" },
  { id: "gemini-3.8-flash-high", name: "Gemini 3.8 Flash High" },
  { id: "muse-spark-1.3-high", name: "Muse Spark 1.3 High" },
  { id: "kimi-k3-high", name: "Kimi K3 High" },
  { id: "glm-5.2-high", name: "GLM 5.2 High" },
];

/** Matched on id, name and aliases, whatever the case. */
export function resolveModel(wanted: string, models: readonly CatalogueModel[]): CatalogueModel {
  const key = wanted.toLowerCase();
  const found = models.find(({ id, name, aliases = [] }) =>
    [id, name, ...aliases].some((word) => word.toLowerCase() === key),
  );
  if (found !== undefined) return found;
  const available = models.map(({ id }) => id).join(", ");
  throw new CliFailure(`Cannot use this model: ${wanted}. Available models: ${available}`);
}

/** The text of `agent models`. */
export function renderModels(models: readonly CatalogueModel[], currentId: string): string {
  const lines = models.map(({ id, name }) => {
    const marks = [...(id === currentId ? ["current"] : []), ...(id === defaultModelId ? ["default"] : [])];
    return `${id} - ${name}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`;
  });
  const tip = "Tip: use --model <id> (or /model <id> in interactive mode) to switch.";
  return ["Available models", "", ...lines, "", tip, ""].join("\n");
}
