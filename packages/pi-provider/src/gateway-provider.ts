import { homedir } from "node:os";
import { findGateway, type GatewayAddress } from "./find-gateway.ts";
import type { PiExtension, PiModel } from "./pi-extension.ts";
import { onlyAuto, toPiModels } from "./to-pi-models.ts";

/** Pi waits for its extensions before it starts. */
const PATIENCE_MS = 10_000;

/** Caret's models in Pi, through the gateway that runs on this machine. */
export default async function registerGateway(pi: PiExtension): Promise<void> {
  const gateway = findGateway({ env: process.env, home: homedir() });
  pi.registerProvider("caret", {
    name: "Caret",
    baseUrl: new URL("/v1", gateway.url).href,
    apiKey: gateway.token,
    api: "openai-responses",
    models: await listModels(gateway),
  });
}

async function listModels({ url, token }: GatewayAddress): Promise<readonly PiModel[]> {
  const response = await fetch(new URL("/v1/models", url), {
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (response.status === 401) throw new Error(`The gateway at ${url} does not accept the token.`);
  // Without a login there is no list; the first turn says what is missing, and Pi shows it.
  return response.ok ? toPiModels(await response.json()) : onlyAuto;
}
