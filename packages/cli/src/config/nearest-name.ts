import { editDistance } from "@caret/protocol";
/** The name probably meant, if one is close enough to suggest. A prefix common to all does not count towards closeness. */
export function nearestName(name: string, known: Iterable<string>, prefix = ""): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name: candidate, distance };
  }
  const limit = Math.max(2, Math.floor((name.length - prefix.length) / 2));
  return best !== undefined && best.distance <= limit ? best.name : undefined;
}
