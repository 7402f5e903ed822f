import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type AvailableModelsResponse,
  type AvailableModelsResponse_AvailableModelSchema,
  AvailableModelsResponseSchema,
} from "@caret/protocol/agent-api/available-models";
import { type ModelDetails, ModelDetailsSchema } from "@caret/protocol/agent-api/models";
import type { CatalogueModel } from "../config/model-catalogue.ts";

/** The catalogue as GetUsableModels gives it. "auto" is called "default" on the wire. */
export function toModelDetails({ id, name, aliases = [] }: CatalogueModel): ModelDetails {
  const modelId = toWireId(id);
  return create(ModelDetailsSchema, {
    modelId,
    displayModelId: id,
    displayName: name,
    displayNameShort: name,
    aliases: aliases.filter((alias) => alias !== modelId),
  });
}

function toWireId(id: string): string {
  return id === "auto" ? "default" : id;
}

const efforts = ["low", "medium", "high", "max"] as const;

/** The catalogue as AvailableModels gives it: one entry per family, with the efforts that its ids name as parameters. */
export function toAvailableModels(models: readonly CatalogueModel[]): AvailableModelsResponse {
  const families = Map.groupBy(models, ({ id }) => familyOf(id));
  return create(AvailableModelsResponseSchema, {
    modelNames: models.map(({ id }) => toWireId(id)),
    models: [...families].map(([family, members]) => toAvailableModel(family, members)),
    useModelParameters: true,
  });
}

function toAvailableModel(
  family: string,
  members: readonly CatalogueModel[],
): MessageInitShape<typeof AvailableModelsResponse_AvailableModelSchema> {
  const [first] = members;
  const wireId = toWireId(family);
  return {
    name: wireId,
    defaultOn: true,
    supportsAgent: true,
    supportsThinking: members.some(({ id }) => id.includes("thinking")),
    supportsImages: true,
    supportsMaxMode: true,
    supportsNonMaxMode: true,
    contextTokenLimit: 200_000,
    contextTokenLimitForMaxMode: 1_000_000,
    clientDisplayName: first?.name.replaceAll("\u200b", "") ?? family,
    serverModelName: wireId,
    parameterDefinitions: members.length < 2 ? [] : [effortParameter(members)],
    variants: members.map(({ id, name }, index) => ({
      parameterValues: parametersOf(id),
      displayName: name,
      displayNameOutsidePicker: name,
      isMaxMode: false,
      isDefaultMaxConfig: index === 0,
      isDefaultNonMaxConfig: index === 0,
      variantStringRepresentation: variantString(wireId, parametersOf(id)),
      legacySlug: toWireId(id),
    })),
  };
}

function effortParameter(members: readonly CatalogueModel[]) {
  const values = members.flatMap(({ id }) => parametersOf(id)).map(({ value }) => ({ value, displayName: value }));
  return {
    id: "effort",
    name: "Effort",
    parameterType: { enumParameter: { values } },
  };
}

/** An id without the effort at its end. */
function familyOf(id: string): string {
  return id.replace(new RegExp(`-(?:${efforts.join("|")})$`), "");
}

interface Parameter {
  readonly id: string;
  readonly value: string;
}

function parametersOf(id: string): Parameter[] {
  const effort = efforts.find((value) => id.endsWith(`-${value}`));
  return effort === undefined ? [] : [{ id: "effort", value: effort }];
}

function variantString(family: string, parameters: readonly Parameter[]): string {
  const values = parameters.map(({ id, value }) => `${id}=${value}`);
  return values.length === 0 ? family : `${family}[${values.join(",")}]`;
}

/** The catalogue as the cloud's REST interface lists it; the official client checks model ids against it. */
export function toModelList(models: readonly CatalogueModel[]): object {
  const items = models.map(({ id, name, aliases = [] }) => ({
    id: toWireId(id),
    displayName: name,
    aliases: [...aliases, id],
  }));
  return { items };
}
