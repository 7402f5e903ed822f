import { CaretError } from "@caret/protocol";

/** A model as the configuration names it, in the shape of an `openclaw.json` entry. */
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
  /** Undefined: the one that is looked for. */
  readonly command: string | undefined;
  readonly args: readonly string[];
  /** The name the CLI knows the model by; undefined when the arguments name it already. */
  readonly model: string | undefined;
  readonly partial: boolean;
  readonly promptAsArg: boolean;
  /** Run with every approval given, as entries of this shape always were: they say nothing else about approvals. */
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

/** The program behind a model's name: an entry of the configuration, or else a model of the official CLI. */
export function findProgram(model: string, settings: ProgramSettings): AgentProgram {
  const entry = Object.hasOwn(settings.models, model) ? settings.models[model] : undefined;
  if (entry === undefined) return officialProgram(model, settings);
  if (!entry.enabled)
    throw new CaretError("model-unknown", `The model ${model} is switched off in the configuration`, {
      fix: `Set \`models.${model}.enabled\` to true, or choose another model.`,
    });
  // Without a program of its own, and without the whole of the CLI's arguments, an entry only says more about a model.
  if (entry.command === undefined && (entry.args.length === 0 || !entry.promptAsArg))
    return inheritedProgram(model, entry, settings);
  return {
    style: entry.promptAsArg ? "official" : "contract",
    command: entry.command ?? settings.command,
    args: entry.args,
    // Left out, the CLI takes whichever model was used last; so it is always named.
    model: entry.args.some(namesModel) ? undefined : "auto",
    partial: entry.args.includes(PARTIAL),
    promptAsArg: entry.promptAsArg,
    headless: entry.promptAsArg,
    timeoutMs: entry.timeoutMs,
    profiles: entry.authProfiles,
    fallbackModels: entry.fallbackModels,
  };
}

/** The lane's own program and arguments, with what the entry adds to them. */
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

/** Print mode and its stream, as far as the arguments do not ask for them already. */
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
