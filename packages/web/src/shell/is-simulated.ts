import type { AboutView, LaneName } from "@caret/protocol";

/** Whether what this lane does is made up. */
export function isSimulated(about: AboutView | undefined, lane: LaneName | undefined): boolean {
  if (lane === "sim") return true;
  return about?.lanes.some((known) => known.lane === lane && known.simulated) ?? false;
}
