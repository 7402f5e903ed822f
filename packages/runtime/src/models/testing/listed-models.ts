/**
 * Ids of every shape upstream has listed, for the tests of families, names and prices. Written as patterns: `a-{b,c}{,-d}` stands for four
 * ids.
 */
const patterns = [
  "auto",
  "composer-{1,1.5}",
  "composer-{2,2.5}{,-fast}",
  "gpt-5.1{,-low,-high}",
  "gpt-5.1-codex-{max,mini}{,-low,-high}",
  "gpt-5.{2,3-codex}{,-low,-high,-xhigh}{,-fast}",
  "gpt-5.4{,-medium,-high,-xhigh}{,-fast}",
  "gpt-5.4-low",
  "gpt-5.4-{mini,nano}-{none,low,medium,high,xhigh}",
  "gpt-5-mini",
  "gpt-5.5-{none,low,medium,high,extra-high}{,-fast}",
  "gpt-5.6-{sol,terra,luna}-{none,low,medium,high,xhigh,max}{,-fast}",
  "cursor-grok-4.5-{low,medium,high}{,-fast}",
  "{cursor-grok-4.6,grok-4.7}-{low,medium,high,xhigh}{,-fast}",
  "claude-opus-5-{low,medium,high}{,-fast}",
  "claude-opus-5-thinking-{low,medium,high,xhigh,max}{,-fast}",
  "claude-opus-4-{7,8}{,-thinking}-{low,medium,high,xhigh,max}{,-fast}",
  "claude-{fable-5,fable-5-1,sonnet-5}{,-thinking}-{low,medium,high,xhigh,max}",
  "claude-4.6-sonnet-medium{,-thinking}",
  "claude-4.6-opus-{high,max}{,-thinking}",
  "claude-4.5-opus-high{,-thinking}",
  "claude-{4.5,4}-sonnet{,-thinking}",
  "gemini-3.1-pro",
  "gemini-{3,3.5}-flash",
  "gemini-3.6-flash-{minimal,low,medium,high}",
  "gemini-3.{7,8}-flash-{low,medium,high}",
  "muse-spark-1.3-{minimal,low,medium,high,xhigh,max}",
  "kimi-k3-{low,high,max}",
  "kimi-{k2.5,k2.7-code}",
  "glm-5.2-{high,max}",
  "{sonnet,opus}-4.6",
  "grok",
];

export function expandPattern(pattern: string): readonly string[] {
  const [whole, list] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined || list === undefined) return [pattern];
  return list.split(",").flatMap((item) => expandPattern(pattern.replace(whole, item)));
}

export const listedModelIds: readonly string[] = patterns.flatMap(expandPattern);
