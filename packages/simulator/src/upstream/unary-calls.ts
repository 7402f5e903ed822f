import { AnalyticsService, DashboardService, PrivacyMode } from "@caret/protocol/agent-api/account";
import { AiService } from "@caret/protocol/agent-api/available-models";
import { BidiService } from "@caret/protocol/agent-api/bidi";
import { AgentService } from "@caret/protocol/agent-api/run";
import { Http2Config, ServerConfigService } from "@caret/protocol/agent-api/server-config";
import type { ConnectRouter } from "@connectrpc/connect";
import { type CatalogueModel, defaultModelId } from "../config/model-catalogue.ts";
import type { UpstreamBehaviour } from "../scenario/wire-shapes.ts";
import type { ApiKeys } from "./account/api-keys.ts";
import { toAvailableModels, toModelDetails } from "./model-answers.ts";
import type { AppendedRuns } from "./run/appended-runs.ts";

export interface UnaryWorld {
  readonly models: readonly CatalogueModel[];
  readonly behaviour: UpstreamBehaviour;
  readonly appended: AppendedRuns;
  readonly keys: ApiKeys;
}

/** What the clients' feature library takes for an answer in which every gate is shut. */
const noFeatureGates = JSON.stringify({
  has_updates: true,
  time: 1,
  hash_used: "djb2",
  user: { userID: "simulated" },
  feature_gates: {},
  dynamic_configs: {},
  layer_configs: {},
});

/** Every call of one request and one answer that the official SDK and the CLI make, at start-up and during a run. */
export function addUnaryCalls(router: ConnectRouter, { models, behaviour, appended, keys }: UnaryWorld): void {
  const getUsableModels = () => ({ models: models.map(toModelDetails) });
  const getDefaultModelForCli = () => {
    const model = models.find(({ id }) => id === defaultModelId) ?? models[0];
    return model === undefined ? {} : { model: toModelDetails(model) };
  };
  router.service(AiService, {
    getUsableModels,
    getDefaultModelForCli,
    availableModels: () => toAvailableModels(models),
  });
  router.service(AgentService, {
    getUsableModels,
    getDefaultModelForCli,
    nameAgent: ({ userMessage }) => ({ name: userMessage.slice(0, 40) }),
  });
  router.service(ServerConfigService, {
    getServerConfig: () => ({
      configVersion: "simulated",
      ...(behaviour.http2 === undefined ? {} : { http2Config: Http2Config[behaviour.http2] }),
      ...(behaviour.agentUrl === undefined
        ? {}
        : { agentUrlConfig: { agentUrl: behaviour.agentUrl, agentnUrl: behaviour.agentUrl } }),
    }),
  });
  router.service(BidiService, {
    bidiAppend: (request) => {
      appended.append(request);
      return {};
    },
  });
  router.service(DashboardService, {
    getMe: () => ({ authId: "auth0|simulated", userId: 1, email: "ada@example.com", firstName: "Ada" }),
    getUserPrivacyMode: () => ({ privacyMode: PrivacyMode.NO_TRAINING }),
    createUserApiKey: ({ name, expiresAt }) => ({ apiKey: keys.create(name, expiresAt) }),
    listUserApiKeys: () => ({ apiKeys: keys.list() }),
    revokeUserApiKey: ({ id }) => {
      keys.revoke(id);
      return {};
    },
    getTeamAdminSettingsOrEmptyIfNotInTeam: () => ({}),
    getTeamReposOrEmptyIfNotInTeam: () => ({}),
  });
  router.service(AnalyticsService, {
    bootstrapStatsig: () => ({ config: noFeatureGates }),
    trackEvents: () => ({}),
    submitLogs: () => ({}),
  });
}
