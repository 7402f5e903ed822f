import type { Gateway } from "./gateway.ts";
import type { ModelConfig } from "./open-code.ts";

const PATIENCE_MS = 10_000;
/** What is assumed of a model that does not say; as in the recipe. */
const WINDOW = 200_000;
const OUTPUT = 8000;

/** One model of `GET /v1/models`, as far as it is used here. */
interface ListedModel {
  readonly id: string;
  readonly name?: string;
  readonly variants?: readonly { readonly id: string; readonly name?: string }[];
  readonly context_window?: number;
  readonly cost?: Readonly<Record<string, number>>;
}

/** The gateway's models, in OpenCode's words: each variant is another model of Cursor's. */
export async function listModels({ url, token }: Gateway): Promise<Readonly<Record<string, ModelConfig>>> {
  const response = await fetch(new URL("/v1/models", url), {
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { data } = response.ok ? ((await response.json()) as { readonly data: readonly ListedModel[] }) : { data: [] };
  return Object.fromEntries([{ id: "auto", name: "Auto" }, ...data].map((model) => [model.id, toModelConfig(model)]));
}

export function toModelConfig({ id, name, variants = [], context_window: context, cost }: ListedModel): ModelConfig {
  const targets = variants.map((variant) => [variantName(id, variant.id), { cursorModel: variant.id }] as const);
  return {
    name: name ?? id,
    limit: { context: context ?? WINDOW, output: OUTPUT },
    ...(cost === undefined ? {} : { cost }),
    ...(targets.length === 0 ? {} : { variants: Object.fromEntries(targets) }),
  };
}

/** `gpt-5.5-high` is the variant `high` of `gpt-5.5`. */
function variantName(family: string, id: string): string {
  return id.startsWith(`${family}-`) ? id.slice(family.length + 1) : id;
}
