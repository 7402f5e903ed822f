import { CaretError } from "@caret/protocol";

/** A model in the configuration, in the shape of an `openclaw.json` entry. */
export interface ModelEntry {
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly promptAsArg: boolean;
  readonly timeoutMs?: number | undefined;
  readonly authProfiles: readonly string[];
  readonly fallbackModels: readonly string[];
  readonly enabled: boolean;
}

/**
 * How to run a model: with the official CLI (`official`), or with a program that reads one turn as JSON (`contract`).
 */
export interface AgentProgram {
  readonly style: "official" | "contract";
  /** Undefined: searched for. */
  readonly command: string | undefined;
  readonly args: readonly string[];
  /** The CLI's name for the model; undefined if the arguments already name it. */
  readonly model: string | undefined;
  readonly partial: boolean;
  readonly promptAsArg: boolean;
  /** Run with every approval granted, as entries of this shape always were: they cannot say anything else about approvals. */
  readonly headless: boolean;
  readonly timeoutMs: number | undefined;
  readonly profiles: readonly string[];
  readonly fallbackModels: readonly string[];
}

export interface ProgramSettings {
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly promptAsArg: boolean;
  readonly models: Readonly<Record<string, ModelEntry>>;
}

const PARTIAL = "--stream-partial-output";

/** The program for a model's name: an entry of the configuration, or else a model of the official CLI. */
export function findProgram(model: string, settings: ProgramSettings): AgentProgram {
  const entry = Object.hasOwn(settings.models, model) ? settings.models[model] : undefined;
  if (entry === undefined) return officialProgram(model, settings);
  if (!entry.enabled)
    throw new CaretError("model-unknown", `The model ${model} is switched off in the configuration`, {
      fix: `Set \`models.${model}.enabled\` to true, or choose another model.`,
    });
  // Without its own program and the complete CLI arguments, an entry only adds details about a model.
  if (entry.command === undefined && (entry.args.length === 0 || !entry.promptAsArg))
    return inheritedProgram(model, entry, settings);
  return {
    style: entry.promptAsArg ? "official" : "contract",
    command: entry.command ?? settings.command,
    args: entry.args,
    // Always named: otherwise the CLI uses whichever model was used last.
    model: entry.args.some(namesModel) ? undefined : "auto",
    partial: entry.args.includes(PARTIAL),
    promptAsArg: entry.promptAsArg,
    headless: entry.promptAsArg,
    timeoutMs: entry.timeoutMs,
    profiles: entry.authProfiles,
    fallbackModels: entry.fallbackModels,
  };
}

/** The lane's own program and arguments, with the entry's additions. */
function inheritedProgram(model: string, entry: ModelEntry, settings: ProgramSettings): AgentProgram {
  const lane = officialProgram(model, { ...settings, args: [...settings.args, ...entry.args] });
  return {
    ...lane,
    promptAsArg: lane.promptAsArg || entry.promptAsArg,
    headless: entry.promptAsArg,
    timeoutMs: entry.timeoutMs,
    profiles: entry.authProfiles,
    fallbackModels: entry.fallbackModels,
  };
}

function officialProgram(model: string, { command, args, promptAsArg }: ProgramSettings): AgentProgram {
  const inPrint = withPrint(args);
  return {
    style: "official",
    command,
    args: inPrint,
    model: args.some(namesModel) ? undefined : model,
    partial: inPrint.includes(PARTIAL),
    promptAsArg,
    headless: false,
    timeoutMs: undefined,
    profiles: [],
    fallbackModels: [],
  };
}

/** Adds print mode and its stream, unless the arguments already request them. */
function withPrint(args: readonly string[]): readonly string[] {
  const isGiven = (option: string): boolean => args.some((arg) => arg === option || arg.startsWith(`${option}=`));
  const print = isGiven("-p") || isGiven("--print") ? [] : ["-p"];
  if (isGiven("--output-format")) return [...args, ...print];
  const partial = isGiven(PARTIAL) ? [] : [PARTIAL];
  return [...args, ...print, "--output-format", "stream-json", ...partial];
}

function namesModel(argument: string): boolean {
  return argument === "--model" || argument.startsWith("--model=");
}
