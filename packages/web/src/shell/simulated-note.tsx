import { useAbout } from "../data/use-about.ts";
import { isSimulated } from "./is-simulated.ts";

/** When even what is new would be made up, it is said all the time. */
export function SimulatedNote() {
  const about = useAbout();
  if (!isSimulated(about, about?.defaultLane)) return null;
  return (
    <p className="mb-2 rounded-md border border-line bg-raised px-2 py-1.5 text-[12px] text-soft">
      <strong className="font-medium text-ink">Simulated answers, real tools.</strong> Cursor is not asked, but files
      are changed and commands run.
    </p>
  );
}
