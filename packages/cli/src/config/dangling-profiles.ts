import type { ConfigProblem } from "./config-source.ts";
import { placeOf } from "./config-source.ts";
import type { MergedConfig } from "./merge-layers.ts";
import { nearestName } from "./nearest-name.ts";

/** The login the agent finds by itself; always there. */
const DEFAULT_PROFILE = "default";

/** Models that name a profile nobody has written. */
export function danglingProfiles({ config, sources }: MergedConfig): readonly ConfigProblem[] {
  const known = [DEFAULT_PROFILE, ...Object.keys(config.profiles)];
  const source = sources["models"] ?? { kind: "default" };
  return Object.entries(config.models).flatMap(([model, { authProfiles }]) =>
    authProfiles
      .map((profile, index) => ({ profile, place: placeOf(source, "models", [model, "authProfiles", index]) }))
      .filter(({ profile }) => !known.includes(profile))
      .map(({ profile, place }) => ({ place, message: missing(profile, known) })),
  );
}

function missing(profile: string, known: readonly string[]): string {
  const nearest = nearestName(profile, known);
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return `there is no profile named ${profile}${hint}`;
}
