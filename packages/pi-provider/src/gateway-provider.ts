import { homedir } from "node:os";
import { openAIResponsesApi } from "@earendil-works/pi-ai/compat";
import { findGateway, type GatewayAddress } from "./find-gateway.ts";
import type { PiExtension, PiModel } from "./pi-extension.ts";
import { onlyAuto, toPiModels } from "./to-pi-models.ts";

/** Pi waits for its extensions before it starts. */
const PATIENCE_MS = 10_000;

/**
 * Caret's models in Pi, through the gateway that runs on this machine. The gateway is looked for again for each request, since
 * it may have been started, or started again elsewhere, after Pi. An extension that throws would keep Pi from starting, also
 * for other providers; what is missing is said when a model is used.
 */
export default async function registerGateway(pi: PiExtension): Promise<void> {
  const find = (): GatewayAddress => findGateway({ env: process.env, home: homedir() });
  pi.registerProvider("caret", {
    name: "Caret",
    // Pi wants an address and a key for every provider; each request has its own.
    baseUrl: "http://localhost",
    apiKey: "caret",
    api: "caret-gateway",
    models: await listModels(find).catch(() => onlyAuto),
    streamSimple: (model, context, options) => {
      const { url, token } = find();
      const baseUrl = new URL("/v1", url).href;
      return openAIResponsesApi().streamSimple({ ...model, baseUrl }, context, { ...options, apiKey: token });
    },
  });
}

async function listModels(find: () => GatewayAddress): Promise<readonly PiModel[]> {
  const { url, token } = find();
  const response = await fetch(new URL("/v1/models", url), {
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return response.ok ? toPiModels(await response.json()) : onlyAuto;
}
