import { openGateway } from "./gateway.ts";
import { listModels } from "./list-models.ts";
import type { ModelConfig } from "./open-code.ts";
import { PROVIDER } from "./providers.ts";
import { turnHeaders } from "./turn-headers.ts";

/** OpenCode 2's own client of OpenAI's chat completions. */
const CLIENT = "@opencode/ai/providers/openai-compatible";

interface ProviderDraft {
  name?: string;
  activation?: string;
  package?: string;
  settings?: Record<string, unknown>;
}

interface ProviderEditor {
  update(id: string, change: (draft: ProviderDraft) => void): void;
  readonly models: { set(id: string, models: readonly object[]): void };
}

/** What OpenCode 2 gives a plugin, as far as it is used here. */
export interface SetupContext {
  readonly location: { readonly directory: string };
  readonly provider: { transform(edit: (editor: ProviderEditor) => void): Promise<unknown> };
  readonly session: {
    hook(
      name: "model.request",
      act: (event: { readonly headers: Record<string, string> }) => void,
      options: { readonly providerID: string },
    ): Promise<unknown>;
  };
}

/** The plugin for OpenCode 2. Gives what it calls when the plugin is unloaded. */
export async function setup(context: SetupContext): Promise<() => void> {
  const { directory } = context.location;
  const { env } = process;
  const gateway = await openGateway({ directory, env });
  const models = Object.entries(await listModels(gateway)).map(([id, model]) => toModel(id, model));
  await context.provider.transform((editor) => {
    editor.update(PROVIDER, (draft) => {
      draft.name = "Caret";
      draft.activation = "enabled";
      draft.package = CLIENT;
      draft.settings = { ...draft.settings, baseURL: new URL("/v1", gateway.url).href, apiKey: gateway.token };
    });
    editor.models.set(PROVIDER, models);
  });
  await context.session.hook(
    "model.request",
    ({ headers }) => void Object.assign(headers, turnHeaders({ env, directory, isOwn: gateway.isOwn })),
    { providerID: PROVIDER },
  );
  return () => gateway.close();
}

/** A model as OpenCode 2 describes it. */
function toModel(id: string, { name, limit, cost, variants = {} }: ModelConfig): object {
  const { input = 0, output = 0, cache_read: read = 0, cache_write: write = 0 } = cost ?? {};
  return {
    id,
    modelID: id,
    providerID: PROVIDER,
    name,
    capabilities: { tools: true, input: ["text"], output: ["text"] },
    limit,
    cost: cost === undefined ? [] : [{ input, output, cache: { read, write } }],
    status: "active",
    enabled: true,
    time: { released: 0 },
    variants: Object.entries(variants).map(([variant, settings]) => ({ id: variant, settings })),
  };
}
