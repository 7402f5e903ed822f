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

/** How the upstream is reached with one profile. */
export interface ApiAccess {
  readonly credentials: ApiCredentials;
  /** Where turns of the account go that the token is for. */
  agent(token: AccessToken, signal: AbortSignal): Promise<UpstreamLink>;
  /** Where models, settings and the account are served. */
  control(signal: AbortSignal): Promise<UpstreamLink>;
  /** The models of the account that the token is for; none where the upstream does not list them. Asked for once. */
  models(token: AccessToken, signal: AbortSignal): Promise<readonly ListedModel[]>;
  /** Make a call; once more with another token of the same key when the first is not taken. Rejects with a `CaretError`. */
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
    // What another account is answered is not what was asked for.
    if (other.madeFrom !== token.madeFrom) throw refused;
    return await work(headersWith(other)).catch((reason: unknown) => Promise.reject(explainCallFailure(reason).error));
  };

  /** Always over HTTP/1.1, as the official client asks: the answer says which HTTP the rest is to use. */
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
    // Without a list this turn passes its model's name on for the upstream to judge.
    models: async (token, signal) => (await models(token, signal)) ?? [],
    async agent(token, signal) {
      const demanded = host.httpVersion;
      const isKnown = endpoints.agent !== undefined && demanded !== undefined;
      // A server that does not answer leaves the defaults; a login that is refused is said by the turn itself.
      const found = isKnown ? undefined : await settings(token, signal);
      const serverConfig = async (): Promise<ServerSettings | undefined> => found;
      const url = await findAgentUrl({ endpoints, cliConfigDir: host.cliConfigDir, serverConfig });
      return await host.links.open(url, demanded ?? found?.version);
    },
  };
  return access;
}

type AskUpstream<Answer> = (token: AccessToken, signal: AbortSignal) => Promise<Answer>;

/** The answer is kept for as long as it is asked for with the same credential. Undefined where there was none: the next turn asks again. */
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
      return undefined; // what is asked for is good to have; a turn goes on without it
    }
  };
}
