import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type InteractionQuery,
  type InteractionResponse,
  InteractionResponseSchema,
} from "@caret/protocol/agent-api/interactions";
import type { TurnMode } from "../lane.ts";

type Query = InteractionQuery["query"];
type Answer = NonNullable<MessageInitShape<typeof InteractionResponseSchema>["result"]>;

export interface QuerySetting {
  readonly mode: TurnMode;
  /** The client or the gateway runs the turn's tools. */
  readonly hasOfferedTools: boolean;
}

const NOBODY = "Nobody can be asked: decide by yourself, and say what you have decided.";
const OFFERED = "Use the tools of the MCP server caret instead.";
const NOT_HERE = "This client cannot do that.";

/**
 * Answers at once what upstream asks a person. What the agent does on upstream's own machines is approved, unless the client or the
 * gateway runs the turn's tools; anything that needs a person, a login or this machine is refused. An unknown query gets an answer without
 * a decision, so the turn continues.
 */
export function answerQuery({ id, query }: InteractionQuery, setting: QuerySetting): InteractionResponse {
  return create(InteractionResponseSchema, { id, ...resultOf(query, setting) });
}

function resultOf(query: Query, { mode, hasOfferedTools }: QuerySetting): { readonly result?: Answer } {
  const approval = hasOfferedTools ? rejected(OFFERED) : approved;
  switch (query.case) {
    case "webSearchRequestQuery":
      return { result: { case: "webSearchRequestResponse", value: approval } };
    case "webFetchRequestQuery":
      return { result: { case: "webFetchRequestResponse", value: approval } };
    case "generateImageRequestQuery":
      return { result: { case: "generateImageRequestResponse", value: rejected(NOT_HERE) } };
    case "switchModeRequestQuery": {
      const value = mode === "agent" ? approved : rejected(`The user has chosen the mode ${mode}.`);
      return { result: { case: "switchModeRequestResponse", value } };
    }
    case "askQuestionInteractionQuery":
      return { result: { case: "askQuestionInteractionResponse", value: { result: rejected(NOBODY) } } };
    case "createPlanRequestQuery":
      return {
        result: { case: "createPlanRequestResponse", value: { result: { result: { case: "success", value: {} } } } },
      };
    case "mcpAuthRequestQuery":
      return { result: { case: "mcpAuthRequestResponse", value: rejected(NOT_HERE) } };
    case "prManagementRequestQuery":
      return { result: { case: "prManagementResult", value: rejected(NOT_HERE) } };
    case "connectScmRequestQuery":
      return { result: { case: "connectScmRequestResponse", value: rejected(NOT_HERE) } };
    case "replaceEnvArgs":
      return {
        result: { case: "replaceEnvResult", value: { result: { case: "failure", value: { errorMessage: NOT_HERE } } } },
      };
    case "setupVmEnvironmentArgs":
      return { result: { case: "setupVmEnvironmentResult", value: {} } };
    default:
      return {};
  }
}

const approved = { result: { case: "approved", value: {} } } as const;

function rejected(reason: string) {
  return { result: { case: "rejected", value: { reason } } } as const;
}
