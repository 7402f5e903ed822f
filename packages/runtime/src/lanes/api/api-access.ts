import type { CaretError } from "@caret/protocol";
import { Http2Config, ServerConfigService } from "@caret/protocol/agent-api/server-config";
import type { AccessToken, ApiCredentials } from "../../credentials/credentials.ts";
import type { ListedModel } from "../../models/parse-model-list.ts";
import { type AgentUrlConfig, findAgentUrl } from "./api-endpoints.ts";
import { apiHeaders } from "./api-headers.ts";
import type { ApiHost } from "./api-host.ts";
import { askForModels } from "./api-models.ts";
import { explainCallFailure } from "./explain-refusal.ts";
import type { HttpVersion } from "./transport/http-version.ts";
import { createUnaryClient } from "./transport/unary-client.ts";
import type { UpstreamLink } from "./transport/upstream-link.ts";

/** How upstream is reached with one profile. */
export interface ApiAccess {
  readonly credentials: ApiCredentials;
  /** The server for turns of the token's account. */
  agent(token: AccessToken, signal: AbortSignal): Promise<UpstreamLink>;
  /** The server for models, settings and the account. */
  control(signal: AbortSignal): Promise<UpstreamLink>;
  /** The models of the token's account; empty if upstream does not list them. Requested only once. */
  models(token: AccessToken, signal: AbortSignal): Promise<readonly ListedModel[]>;
  /** Makes a call; repeats it once with another token of the same key if the first is rejected. Rejects with a `CaretError`. */
  call<Result>(token: AccessToken, work: (headers: Headers) => Promise<Result>, signal: AbortSignal): Promise<Result>;
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

  const headersWith = ({ secret }: AccessToken): Headers => {
    const requestId = host.newId();
    return apiHeaders({ token: secret, requestId, originalRequestId: requestId });
  };

  const call: ApiAccess["call"] = async (token, work, signal) => {
    let refused: CaretError;
    try {
      return await work(headersWith(token));
    } catch (reason) {
      const { error, isToken } = explainCallFailure(reason);
      if (!isToken) throw error;
      refused = error;
    }
    const other = await credentials.replaceRejected(token, signal);
    // Another account's answer would be the wrong one.
    if (other.madeFrom !== token.madeFrom) throw refused;
    return await work(headersWith(other)).catch((reason: unknown) => Promise.reject(explainCallFailure(reason).error));
  };

  /** Always over HTTP/1.1, like the official client: the answer says which HTTP to use afterwards. */
  const control = (): Promise<UpstreamLink> => host.links.open(endpoints.control, "1.1");

  const settings = askedOnce(async (token, signal): Promise<ServerSettings> => {
    const client = createUnaryClient(await control(), ServerConfigService);
    const options = { timeoutMs: SETTINGS_MS, signal };
    const answer = await call(token, (headers) => client.getServerConfig({}, { headers, ...options }), signal);
    const { agentUrl, agentnUrl } = answer.agentUrlConfig ?? {};
    return { agentUrl, agentnUrl, version: versions[answer.http2Config] };
  });
  const models = askedOnce((token, signal) =>
    askForModels(access, token, AbortSignal.any([signal, AbortSignal.timeout(SETTINGS_MS)])),
  );

  const access: ApiAccess = {
    credentials,
    control,
    call,
    // Without a list, this turn passes its model's name on for upstream to judge.
    models: async (token, signal) => (await models(token, signal)) ?? [],
    async agent(token, signal) {
      const demanded = host.httpVersion;
      const isKnown = endpoints.agent !== undefined && demanded !== undefined;
      // If the server does not answer, the defaults apply; a refused login is reported by the turn itself.
      const found = isKnown ? undefined : await settings(token, signal);
      const serverConfig = async (): Promise<ServerSettings | undefined> => found;
      const url = await findAgentUrl({ endpoints, cliConfigDir: host.cliConfigDir, serverConfig });
      return await host.links.open(url, demanded ?? found?.version);
    },
  };
  return access;
}

type AskUpstream<Answer> = (token: AccessToken, signal: AbortSignal) => Promise<Answer>;

/** Caches the answer for as long as the same credential is used. Undefined if there was none: the next turn asks again. */
function askedOnce<Answer>(ask: AskUpstream<Answer>): AskUpstream<Answer | undefined> {
  let last: { readonly madeFrom: string; readonly answer: Promise<Answer> } | undefined;
  return async (token, signal) => {
    const { madeFrom } = token;
    const asked = last?.madeFrom === madeFrom ? last : { madeFrom, answer: ask(token, signal) };
    last = asked;
    try {
      return await asked.answer;
    } catch {
      if (last === asked) last = undefined;
      return undefined; // the answer is optional: a turn works without it
    }
  };
}
