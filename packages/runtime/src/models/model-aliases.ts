import { parseModelSlug } from "@caret/protocol";
import type { ModelCatalogue } from "./model-families.ts";

/**
 * Finds the listed model that a foreign name means. A name is a line (`sonnet`, `gpt`, `gemini flash`) and a version. Within its line, a
 * name without a version or with only the first part of one means the newest match; a version older than those listed means the next newer
 * one. A version newer than all of them means the newest, if it is of the same or the next generation: clients name their vendor's latest
 * release before Cursor lists it. Anything further ahead is more likely a mistake and is not guessed.
 */
export function findAlias(base: string, catalogue: ModelCatalogue): string | undefined {
  const wanted = toLineage(base);
  const lineages = [...catalogue.families.map((family) => family.base), ...catalogue.direct].map((name) => ({
    name,
    ...toLineage(parseModelSlug(name).base),
  }));
  const inLine = (line: string) => lineages.filter((candidate) => candidate.line === line).sort(byVersion);
  const own = inLine(wanted.line);
  if (own.length > 0) return pickVersion(wanted.version, own);
  const substitute = substitutes.get(wanted.line);
  // The versions of another line say nothing about this one, so its newest stands in.
  return substitute === undefined ? undefined : inLine(substitute).at(-1)?.name;
}

/** Lines that clients ask for and upstream may lack, and the line closest in purpose. */
const substitutes: ReadonlyMap<string, string> = new Map([
  ["claude", "sonnet"],
  ["haiku", "sonnet"],
  ["gemini", "gemini pro"],
  ["flash gemini lite", "flash gemini"],
  ["nano", "mini"],
]);

const vendorWords = new Set(["claude", "gpt", "cursor", "anthropic", "openai", "models"]);
const releaseDate = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{4})$/;
const noiseSuffix = /-(?:latest|preview|exp)$/;
/** Amazon Bedrock writes `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. */
const hostPrefix = /^(?:[a-z]+\.)+/;
const hostSuffix = /-v\d+(?::\d+)?$/;
/** How many generations (first number of a version) a name can be ahead of the newest listed one. */
const GENERATIONS_AHEAD = 1;

interface Lineage {
  /** The words in alphabetical order: their order differs between generations. */
  readonly line: string;
  readonly version: readonly number[];
}

interface Candidate extends Lineage {
  readonly name: string;
}

function toLineage(base: string): Lineage {
  const words: string[] = [];
  const version: number[] = [];
  for (const token of withoutRelease(base.toLowerCase()).split(/[-\s]+/)) {
    // `4.5`, `k2.5`, and `4o`, whose letter is a nickname rather than a version.
    const [, word = token, number] = /^([a-z]*)(\d+(?:\.\d+)*)o?$/.exec(token) ?? [];
    if (word !== "") words.push(word === "chatgpt" ? "gpt" : word);
    if (number !== undefined) version.push(...number.split(".").map(Number));
  }
  // OpenAI's `o3` and `o4-mini` are numbered separately from the models that replaced them.
  if (words[0] === "o") return { line: lineOf(["gpt", ...words.slice(1)]), version: [] };
  return { line: lineOf(words), version };
}

/** Drops the vendor's word unless it is all there is. */
function lineOf(words: readonly string[]): string {
  const own = words.filter((word) => !vendorWords.has(word));
  return (own.length > 0 ? own : words.slice(0, 1)).toSorted().join(" ");
}

function withoutRelease(base: string): string {
  const plain = base.replace(hostPrefix, "").replace(hostSuffix, "");
  return plain.replace(noiseSuffix, "").replace(releaseDate, "").replace(noiseSuffix, "");
}

function pickVersion(wanted: readonly number[], oldestFirst: readonly Candidate[]): string | undefined {
  const exact = oldestFirst.find(({ version }) => version.length > 0 && compareVersions(version, wanted) === 0);
  const fitting = oldestFirst.filter(({ version }) => wanted.every((part, index) => version[index] === part));
  const newer = oldestFirst.find(({ version }) => compareVersions(version, wanted) > 0);
  return (exact ?? fitting.at(-1) ?? newer ?? newestWithin(wanted, oldestFirst))?.name;
}

function newestWithin([wanted = 0]: readonly number[], oldestFirst: readonly Candidate[]): Candidate | undefined {
  const newest = oldestFirst.at(-1);
  const [generation = wanted] = newest?.version ?? [];
  return wanted - generation <= GENERATIONS_AHEAD ? newest : undefined;
}

function byVersion(one: Candidate, other: Candidate): number {
  return compareVersions(one.version, other.version);
}

function compareVersions(one: readonly number[], other: readonly number[]): number {
  const length = Math.max(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
