import { type Filled, fillArguments, type KnownValues } from "./argument-filling.ts";
import { type Capability, type CapabilityTraits, capabilities } from "./capability-traits.ts";
import type { OfferedTool } from "./model.ts";
import { schemaProperties } from "./schema-properties.ts";
import type { Role } from "./schema-roles.ts";
import { isToolSearch } from "./tool-search.ts";
import { wordsOf } from "./words-of.ts";

export interface MatchOptions {
  readonly workingDirectory: string | undefined;
  readonly purpose: string;
}

export interface ToolMatch {
  readonly tool: OfferedTool;
  readonly args: Filled["args"];
}

/** The offered tool that can best do this with what is known, and its arguments; nothing when none can. */
export function matchTool(
  capability: Capability,
  tools: readonly OfferedTool[],
  known: KnownValues,
  options: MatchOptions,
): ToolMatch | undefined {
  const traits = capabilities[capability];
  const usable = tools.filter((tool) => !isToolSearch(tool));
  const fitting = usable.flatMap((tool) => {
    const filled = fillArguments(tool, known, { ...options, needs: traits.needs, choose: choiceFor(traits) });
    const score = scoreOf(tool, traits, filled);
    // A tool that is better at something else is left to that.
    return score > 0 && score >= NEARLY * bestOf(tool) ? [{ tool, args: filled.args, score }] : [];
  });
  return fitting.toSorted((one, other) => other.score - one.score)[0];
}

/** A tool that serves none of the known purposes; it is used when a prompt speaks of it. */
export function isPeculiar(tool: OfferedTool): boolean {
  return bestOf(tool) < SURE;
}

const NEARLY = 0.85;
const SURE = 40;
const EXACT_NAME = 200;
const NAME_VERB = 20;
const FIRST_VERB = 25;
const TOLD_VERB = 6;
const OBJECT = 10;
const SCHEMA = 15;
const PER_NEED = 4;

const bests = new WeakMap<OfferedTool, number>();

/** What it is best at, in points. Asked for again and again in a turn, and always the same. */
function bestOf(tool: OfferedTool): number {
  const known = bests.get(tool) ?? bestNow(tool);
  bests.set(tool, known);
  return known;
}

function bestNow(tool: OfferedTool): number {
  return Math.max(
    ...Object.values(capabilities).map((traits) => {
      const known = Object.fromEntries(traits.needs.map((role) => [role, "x"])) as Record<Role, string>;
      const options = { workingDirectory: undefined, purpose: "", needs: traits.needs };
      return scoreOf(tool, traits, fillArguments(tool, known, options));
    }),
  );
}

function scoreOf(tool: OfferedTool, traits: CapabilityTraits, { isComplete, isSure }: Filled): number {
  if (!isComplete) return 0;
  const name = tool.name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const exact = traits.names.indexOf(name);
  if (exact >= 0) return EXACT_NAME - exact;
  const sentence = firstSentence(tool);
  const nameWords = wordsOf(tool.name, (word) => isVerb(word, traits));
  const said = `${nameWords.join(" ")} ${sentence}`;
  if (traits.never?.test(said) === true) return 0;
  const verb = verbScore(nameWords, sentence, traits) + (offersChoice(tool, traits) ? FIRST_VERB : 0);
  const object = traits.objects.test(said) ? OBJECT : 0;
  const isDecided = traits.isDecidedBySchema && (isSure || verb > 0);
  if (!isDecided && (verb === 0 || (object === 0 && !isSure))) return 0;
  return verb + object + (isDecided ? SCHEMA : 0) + PER_NEED * traits.needs.length;
}

function verbScore(nameWords: readonly string[], sentence: string, traits: CapabilityTraits): number {
  const [first = "", ...rest] = wordsOf(sentence);
  const inName = nameWords.some((word) => isVerb(word, traits)) ? NAME_VERB : 0;
  const begins = isVerb(first, traits) ? FIRST_VERB : 0;
  return inName + (begins > 0 ? begins : rest.some((word) => isVerb(word, traits)) ? TOLD_VERB : 0);
}

/** A tool of many purposes takes one of them as an argument: `{"action": "create"}`. */
function choiceFor(traits: CapabilityTraits): (choices: readonly unknown[]) => unknown {
  return (choices) => choices.find((choice) => wordsOf(String(choice)).some((word) => isVerb(word, traits)));
}

function offersChoice(tool: OfferedTool, traits: CapabilityTraits): boolean {
  return schemaProperties(tool.inputSchema).some(({ isRequired, schema }) => {
    const choices = Array.isArray(schema["enum"]) ? schema["enum"] : [];
    return isRequired && choiceFor(traits)(choices) !== undefined;
  });
}

/** "read", "reads", "reading": how a description may put a verb. */
function isVerb(word: string, { verbs }: CapabilityTraits): boolean {
  const forms = [
    word,
    word.replace(/s$/, ""),
    word.replace(/es$/, ""),
    word.replace(/ing$/, ""),
    word.replace(/ing$/, "e"),
  ];
  const all = ` ${verbs} `;
  return forms.some((form) => form !== "" && all.includes(` ${form} `));
}

/** What comes later is details: "can also be used to …", "do not use it for …". */
function firstSentence({ description = "" }: OfferedTool): string {
  return description.trim().split(/(?<=[.!])\s|\n\n/)[0] ?? "";
}
