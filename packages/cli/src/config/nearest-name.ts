import { editDistance } from "@caret/protocol";
/** The name that was probably meant, if any is near enough to be worth saying. What all of them begin with makes none nearer. */
export function nearestName(name: string, known: Iterable<string>, prefix = ""): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name: candidate, distance };
  }
  const limit = Math.max(2, Math.floor((name.length - prefix.length) / 2));
  return best !== undefined && best.distance <= limit ? best.name : undefined;
}
