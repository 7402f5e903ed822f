import type { Secret } from "@caret/protocol";
import { Http2Config, ServerConfigService } from "@caret/protocol/agent-api/server-config";
import type { ListedModel } from "../../models/parse-model-list.ts";
import { type AgentUrlConfig, findAgentUrl } from "./api-endpoints.ts";
import { apiHeaders } from "./api-headers.ts";
import type { ApiHost } from "./api-host.ts";
import { askForModels } from "./api-models.ts";
import type { ApiCredentials } from "./credentials.ts";
import { explainCallFailure } from "./explain-refusal.ts";
import type { HttpVersion } from "./transport/http-version.ts";
import { createUnaryClient } from "./transport/unary-client.ts";
import type { UpstreamLink } from "./transport/upstream-link.ts";

/** How the upstream is reached with one profile. */
export interface ApiAccess {
  readonly credentials: ApiCredentials;
  /** Where turns go. */
  agent(signal: AbortSignal): Promise<UpstreamLink>;
  /** Where models, settings and the account are served. */
  control(signal: AbortSignal): Promise<UpstreamLink>;
  /** The models of the account; none where the upstream does not list them. Asked for once. */
  models(signal: AbortSignal): Promise<readonly ListedModel[]>;
  /** Make a call; once more with another token when the first is not taken. Rejects with a `CaretError`. */
  call<Result>(work: (headers: Headers) => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

interface ServerSettings extends AgentUrlConfig {
  readonly version: HttpVersion | undefined;
}

const SETTINGS_MS = 5_000;

const versions: Partial<Record<Http2Config, HttpVersion>> = {
  [Http2Config.FORCE_ALL_DISABLED]: "1.1",
  [Http2Config.FORCE_BIDI_DISABLED]: "1.1",
  [Http2Config.FORCE_ALL_ENABLED]: "2",
  [Http2Config.FORCE_BIDI_ENABLED]: "2",
};

export function createApiAccess(host: ApiHost, profile: string): ApiAccess {
  const endpoints = host.endpoints();
  const credentials = host.credentials(profile);
  let settings: Promise<ServerSettings | undefined> | undefined;
  let models: Promise<readonly ListedModel[]> | undefined;

  const headersWith = (token: Secret): Headers => {
    const requestId = host.newId();
    return apiHeaders({ token, requestId, originalRequestId: requestId });
  };

  const call: ApiAccess["call"] = async (work, signal) => {
    const token = await credentials.accessToken(signal);
    try {
      return await work(headersWith(token));
    } catch (reason) {
      if (!explainCallFailure(reason).isToken) throw explainCallFailure(reason).error;
    }
    const other = await credentials.replaceRejected(token, signal);
    return await work(headersWith(other)).catch((reason: unknown) => Promise.reject(explainCallFailure(reason).error));
  };

  /** Always over HTTP/1.1, as the official client asks: the answer says which HTTP the rest is to use. */
  const control = (): Promise<UpstreamLink> => host.links.open(endpoints.control, "1.1");

  const askSettings = async (signal: AbortSignal): Promise<ServerSettings> => {
    const client = createUnaryClient(await control(), ServerConfigService);
    const options = { timeoutMs: SETTINGS_MS, signal };
    const answer = await call((headers) => client.getServerConfig({}, { headers, ...options }), signal);
    const { agentUrl, agentnUrl } = answer.agentUrlConfig ?? {};
    return { agentUrl, agentnUrl, version: versions[answer.http2Config] };
  };

  /** A server that does not answer leaves the defaults; a login that is refused is said by the turn itself. */
  const findSettings = async (signal: AbortSignal): Promise<ServerSettings | undefined> => {
    settings ??= askSettings(signal).catch(() => undefined);
    const found = await settings;
    if (found === undefined) settings = undefined;
    return found;
  };

  const access: ApiAccess = {
    credentials,
    control,
    call,
    async models(signal) {
      models ??= askForModels(access, AbortSignal.any([signal, AbortSignal.timeout(SETTINGS_MS)])).catch(() => {
        models = undefined; // the next turn asks again; this one passes its model's name on for the upstream to judge
        return [];
      });
      return await models;
    },
    async agent(signal) {
      const demanded = host.httpVersion;
      const isKnown = endpoints.agent !== undefined && demanded !== undefined;
      const found = isKnown ? undefined : await findSettings(signal);
      const serverConfig = async (): Promise<ServerSettings | undefined> => found;
      const url = await findAgentUrl({ endpoints, cliConfigDir: host.cliConfigDir, serverConfig });
      return await host.links.open(url, demanded ?? found?.version);
    },
  };
  return access;
}
