import type { ListedModel } from "../../models/parse-model-list.ts";
import type { ApiHost } from "./api-host.ts";

const DEFAULT_PROFILE = "default";

/** The account's models, as listed by upstream. */
export async function listApiModels(host: ApiHost, signal: AbortSignal): Promise<readonly ListedModel[]> {
  // Loaded on demand: the protocol takes a while to load, and most commands never use it.
  const [{ createApiAccess }, { askForModels }] = await Promise.all([
    import("./api-access.ts"),
    import("./api-models.ts"),
  ]);
  const access = createApiAccess(host, DEFAULT_PROFILE);
  return await askForModels(access, await access.credentials.accessToken(signal), signal);
}
