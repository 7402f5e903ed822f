import { isJsonObject, type JsonObject } from "../../framing/frame.ts";

/** The one arm of a result union. `value` is an object for nearly every tool, now and then a bare value. */
export interface ResultArm {
  readonly name: string;
  readonly value: unknown;
  readonly isOk: boolean;
}

/** Fields that stand beside the arm and are none themselves. */
const siblings: ReadonlySet<string> = new Set([
  "isBackground",
  "terminalsFolder",
  "pid",
  "sandboxPolicy",
  "planUri",
  "sourceAgentId",
  "targetAgentId",
  "projectRootId",
  "durationMs",
]);
const okArms: ReadonlySet<string> = new Set(["success", "complete", "stillRunning", "async"]);

export function readArm(result: JsonObject): ResultArm | undefined {
  const names = Object.keys(result).filter((name) => !siblings.has(name) && isPresent(result[name]));
  const name = names.find(isOkName) ?? names.find((candidate) => isJsonObject(result[candidate])) ?? names[0];
  if (name === undefined) return undefined;
  const value = result[name];
  return { name, value, isOk: isOkName(name) && value !== false && !isToolError(value) };
}

function isOkName(name: string): boolean {
  return okArms.has(name) || name.endsWith("Success");
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** An MCP tool reports its own failure inside a success. */
function isToolError(value: unknown): boolean {
  return isJsonObject(value) && value["isError"] === true;
}
