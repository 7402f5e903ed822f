import { loadCliConfig } from "./cli-config.ts";
import { authenticationRequiredForModels, requireCredentials } from "./credentials.ts";
import type { GlobalOptions } from "./global-options.ts";
import { renderModels } from "./model-catalogue.ts";
import type { Simulation } from "./simulation.ts";

export function listModels({ host, configDir, models }: Simulation, options: GlobalOptions): void {
  requireCredentials({ env: host.env, configDir, ...options }, authenticationRequiredForModels);
  const { modelId } = loadCliConfig(configDir, host.pid);
  host.stdout.write(renderModels(models, modelId));
}
