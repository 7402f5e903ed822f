import { type ModelChoice, type ModelParams, parseModelSlug, sameParams, toEffort } from "@caret/protocol";

/** The model that chooses a model, in the CLI's spelling. ACP says `default[]`, the API `default`. */
export const AUTO_MODEL = "auto";
const UPSTREAM_AUTO = "default";

/** A model as named by the SDK and the API. */
export interface ApiModel {
  readonly id: string;
  readonly params: readonly { readonly id: string; readonly value: string }[];
}

const bracketed = /^([^[\]]+)\[([^[\]]*)\]$/;

/** Parses any single-string spelling: a CLI id, or `base[key=value,…]`. */
export function parseModelName(name: string): ModelChoice {
  const [, base, list] = bracketed.exec(name.trim()) ?? [];
  if (base === undefined || list === undefined) return parseModelSlug(fromUpstreamBase(name.trim()));
  const pairs = list.split(",").filter((item) => item.trim() !== "");
  // Clients append brackets to a CLI id, too: `claude-opus-5-high[1m]`.
  const slug = parseModelSlug(fromUpstreamBase(base));
  return { base: slug.base, params: { ...slug.params, ...toParams(pairs.map(toPair)) } };
}

export function fromApiModel({ id, params }: ApiModel): ModelChoice {
  return { base: fromUpstreamBase(id), params: toParams(params.map((param) => [param.id, param.value])) };
}

/** `base[key=value,…]`, with only the explicit parameters: see `explicitParams` for those a CLI id implies. */
export function toAcpModelId({ base, params }: ModelChoice): string {
  const pairs = toPairs(params).map(([key, value]) => `${key}=${value}`);
  return `${toUpstreamBase(base)}[${pairs.join(",")}]`;
}

export function toApiModel({ base, params }: ModelChoice): ApiModel {
  return { id: toUpstreamBase(base), params: toPairs(params).map(([id, value]) => ({ id, value })) };
}

/** The CLI's spelling of a choice. CLI ids omit disabled parameters and the context window. */
export function toModelSlug({ base, params: { thinking, effort, fast } }: ModelChoice): string {
  const words = [base, thinking === true ? "thinking" : undefined, effort, fast === true ? "fast" : undefined];
  return words.filter((word) => word !== undefined).join("-");
}

/**
 * The offered ACP id that means this choice. Prefer it to `toAcpModelId`: only the agent's own spelling, including parameters we do not
 * know, is sure to be accepted.
 */
export function findAcpModelId(choice: ModelChoice, offered: readonly string[]): string | undefined {
  const ofBase = offered.map((id) => ({ id, ...parseModelName(id) })).filter(({ base }) => base === choice.base);
  const matches = ofBase.filter(({ params }) => sameParams(params, choice.params));
  const match = matches.find(({ params }) => params.context === choice.params.context) ?? matches[0];
  // The agent offers one entry per model, whose parameters are then set individually, so the base is enough.
  return (match ?? (ofBase.length === 1 ? ofBase[0] : undefined))?.id;
}

type Pair = readonly [key: string, value: string];

/** Some clients request the long context as `[1m]`, without a key. */
function toPair(item: string): Pair {
  const [key = "", value] = item.split("=").map((part) => part.trim());
  return value === undefined ? ["context", key] : [key, value];
}

/** Some models call their effort `reasoning` or `reasoning_effort`. Unknown parameters are upstream's business and are dropped. */
function toParams(pairs: readonly Pair[]): ModelParams {
  const values = new Map(pairs.map(([key, value]) => [key.toLowerCase(), value.toLowerCase()]));
  const effort = toEffort(values.get("effort") ?? values.get("reasoning") ?? values.get("reasoning_effort"));
  const thinking = toFlag(values.get("thinking"));
  const fast = toFlag(values.get("fast"));
  const context = values.get("context");
  return {
    ...(effort !== undefined && { effort }),
    ...(thinking !== undefined && { thinking }),
    ...(fast !== undefined && { fast }),
    ...(context !== undefined && { context }),
  };
}

function toPairs({ effort, thinking, fast, context }: ModelParams): readonly Pair[] {
  return [
    ["thinking", thinking?.toString()],
    ["context", context],
    ["effort", effort],
    ["fast", fast?.toString()],
  ].flatMap(([key, value]): Pair[] => (key === undefined || value === undefined ? [] : [[key, value]]));
}

function toFlag(value: string | undefined): boolean | undefined {
  if (value === "true") return true;
  return value === "false" ? false : undefined;
}

function fromUpstreamBase(base: string): string {
  return [UPSTREAM_AUTO, AUTO_MODEL].includes(base.trim().toLowerCase()) ? AUTO_MODEL : base.trim();
}

function toUpstreamBase(base: string): string {
  return base === AUTO_MODEL ? UPSTREAM_AUTO : base;
}
