import type { ListedModel } from "../../models/parse-model-list.ts";
import type { ApiHost } from "./api-host.ts";

const DEFAULT_PROFILE = "default";

/** The models that the account may use, as the upstream lists them. */
export async function listApiModels(host: ApiHost, signal: AbortSignal): Promise<readonly ListedModel[]> {
  // The protocol takes a while to load, and most commands never speak it.
  const [{ createApiAccess }, { askForModels }] = await Promise.all([
    import("./api-access.ts"),
    import("./api-models.ts"),
  ]);
  const access = createApiAccess(host, DEFAULT_PROFILE);
  return await askForModels(access, await access.credentials.accessToken(signal), signal);
}
