import { Badge } from "./badge.tsx";

/** Nothing that the simulator did may be taken for Cursor's work. */
export function SimulatedBadge() {
  return <Badge>Simulated</Badge>;
}
