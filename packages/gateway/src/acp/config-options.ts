import type { SessionConfigOption, SessionConfigSelectOption, SessionModeState } from "@agentclientprotocol/sdk";
import { type AboutView, type LaneName, type ModelView, permissionWords, type SessionView } from "@caret/protocol";

export const turnModes = ["agent", "plan", "ask"] as const;
export type TurnMode = (typeof turnModes)[number];

/** Source of a session's options. */
export interface SessionChoices {
  readonly view: SessionView;
  readonly mode: TurnMode;
  readonly about: Pick<AboutView, "lanes" | "defaultLane" | "defaultModel">;
  /** Empty if they cannot be listed. */
  readonly models: readonly ModelView[];
}

const modeWords = {
  agent: { name: "Agent", description: "Works on the project" },
  plan: { name: "Plan", description: "Reads, and writes a plan; changes nothing" },
  ask: { name: "Ask", description: "Reads and answers; changes nothing" },
} as const;

const permissionNames = {
  supervised: { name: "Supervised", description: "Asks before everything but looking" },
  "auto-edits": { name: "Edits", description: "Changes files of the workspace without asking" },
  auto: { name: "Auto", description: "Also runs commands that are not dangerous" },
  full: { name: "Full access", description: "The agent runs its own tools, and nobody is asked" },
} as const;

export function modesOf({ mode }: Pick<SessionChoices, "mode">): SessionModeState {
  return { currentModeId: mode, availableModes: turnModes.map((id) => ({ id, ...modeWords[id] })) };
}

/** All choices of a session, as ACP config options. */
export function configOptions(choices: SessionChoices): SessionConfigOption[] {
  const { view, mode } = choices;
  const model = modelOf(choices);
  const family = choices.models.find(({ id, variants }) => id === model || variants.some((own) => own.id === model));
  const known = choices.models.map(({ id, name }) => ({ value: id, name }));
  const models = family === undefined ? [{ value: model, name: model }, ...known] : known;
  const modes = turnModes.map((id) => ({ value: id, ...modeWords[id] }));
  const words = permissionWords.map((word) => ({ value: word, ...permissionNames[word] }));
  return [
    select("mode", "Mode", "mode", mode, modes),
    select("model", "Model", "model", family?.id ?? model, models),
    ...effortOption(family, model),
    select("permission", "Permission", "_permission", view.permission, words),
    select("lane", "Lane", "_lane", laneOf(choices), laneOptions(choices)),
  ];
}

/** A family's models differ in effort, thinking and speed; each is a separate choice. */
function effortOption(family: ModelView | undefined, model: string): SessionConfigOption[] {
  if (family === undefined || family.variants.length === 0) return [];
  const variants = family.variants.map(({ id, label }) => ({ value: id, name: label }));
  const options = variants.some(({ value }) => value === model)
    ? variants
    : [{ value: model, name: "Default" }, ...variants];
  return [select("effort", "Effort", "thought_level", model, options)];
}

function laneOptions({ about }: SessionChoices): SessionConfigSelectOption[] {
  return about.lanes.map(({ lane, detail }) => ({
    value: lane,
    name: lane,
    ...(detail === undefined ? {} : { description: detail }),
  }));
}

export function modelOf({ view, about }: Pick<SessionChoices, "view" | "about">): string {
  return view.model ?? about.defaultModel;
}

function laneOf({ view, about }: SessionChoices): LaneName {
  return view.lane ?? about.defaultLane;
}

function select(
  id: string,
  name: string,
  category: string,
  currentValue: string,
  options: SessionConfigSelectOption[],
): SessionConfigOption {
  return { type: "select", id, name, category, currentValue, options };
}
