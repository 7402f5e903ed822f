import { type Gateway, openGateway } from "./gateway.ts";
import { listModels } from "./list-models.ts";
import type { Hooks, PluginInput } from "./open-code.ts";
import { addProviders, providerIds } from "./providers.ts";
import { type ToolChoice, toolHooks } from "./tool-hooks.ts";
import { turnHeaders } from "./turn-headers.ts";

export interface PluginOptions {
  /** Which of the local tools OpenCode gets: those that it has not itself, all, or none. */
  readonly tools?: ToolChoice;
}

/** The plugin for OpenCode 1. A gateway that cannot be started is said in OpenCode's log: other providers still work. */
export async function server(input: PluginInput, options: PluginOptions = {}): Promise<Hooks> {
  const { directory } = input;
  const { env } = process;
  let gateway: Gateway | undefined;
  return {
    async config(config) {
      try {
        gateway ??= await openGateway({ directory, env });
        addProviders(config, gateway, await listModels(gateway));
      } catch (reason) {
        const message = reason instanceof Error ? reason.message : String(reason);
        await input.client.app.log({ body: { service: "caret", level: "error", message } });
      }
    },
    async "chat.headers"({ model }, { headers }) {
      if (providerIds.has(model.providerID))
        Object.assign(headers, turnHeaders({ env, directory, isOwn: gateway?.isOwn === true }));
    },
    tool: toolHooks(options.tools),
    async dispose() {
      gateway?.close();
    },
  };
}
