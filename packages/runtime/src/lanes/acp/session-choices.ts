import { CaretError, type JsonObject } from "@caret/protocol";
import { objectField, objectsField, textField } from "../../decode/read-fields.ts";
import { didYouMean } from "../../models/did-you-mean.ts";
import { findAcpModelId, parseModelName } from "../../models/model-spellings.ts";
import type { AcpProcess, OpenedSession } from "./acp-process.ts";

interface OfferedModel {
  readonly id: string;
  readonly name: string | undefined;
}

/** Sets the session's mode if it differs. */
export async function chooseMode(process: AcpProcess, session: OpenedSession, mode: string): Promise<void> {
  if (session.mode === mode) return;
  await process.request("session/set_mode", { sessionId: session.id, modeId: mode });
  session.mode = mode;
}

/**
 * Sets the session's model through its config option, which replaces the older method. In some versions the choice applies to the whole
 * process, in others to the session: it is repeated whenever either has another model. Returns the model's name.
 */
export async function chooseModel(
  process: AcpProcess,
  session: OpenedSession,
  wanted: string,
): Promise<string | undefined> {
  const { described, id: sessionId } = session;
  const option = objectsField(described, "configOptions").find(isModelOption);
  const offered = option === undefined ? listedModels(described) : optionModels(option);
  const found = findAcpModelId(
    parseModelName(wanted),
    offered.map(({ id }) => id),
  );
  if (found === undefined) throw unknownModel(wanted, offered);
  const model = offered.find(({ id }) => id === found)?.name;
  if (session.model === found && process.model === found) return model;
  if (option === undefined) await process.request("session/set_model", { sessionId, modelId: found });
  else
    await process.request("session/set_config_option", { sessionId, configId: textField(option, "id"), value: found });
  session.model = found;
  process.model = found;
  return model;
}

function isModelOption(option: JsonObject): boolean {
  return textField(option, "category") === "model" || textField(option, "id") === "model";
}

function optionModels(option: JsonObject): readonly OfferedModel[] {
  return objectsField(option, "options").flatMap((choice) => toModel(choice, "value"));
}

function listedModels(described: JsonObject): readonly OfferedModel[] {
  return objectsField(objectField(described, "models"), "availableModels").flatMap((model) =>
    toModel(model, "modelId"),
  );
}

function toModel(model: JsonObject, key: string): readonly OfferedModel[] {
  const id = textField(model, key);
  return id === undefined ? [] : [{ id, name: textField(model, "name") }];
}

function unknownModel(wanted: string, offered: readonly OfferedModel[]): CaretError {
  const names = offered.map(({ id }) => id);
  return new CaretError("model-unknown", `The agent offers no model ${wanted}`, {
    fix: `${didYouMean(wanted, names)}\`caret models\` lists what there is.`,
  });
}
