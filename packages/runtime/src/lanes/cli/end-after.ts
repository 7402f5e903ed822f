import { sandboxNotice } from "../../sandbox/sandbox-notice.ts";
import type { LaneEntry, TakeEntries } from "../lane.ts";

/**
 * Runs an agent, and passes on the turn's end only once its workspace is closed: its commits are then where the person finds them, and
 * related notices precede the end.
 */
export async function endAfter(
  take: TakeEntries,
  close: () => Promise<readonly string[]>,
  run: (take: TakeEntries) => Promise<void>,
): Promise<void> {
  let end: LaneEntry | undefined;
  const withoutEnd = (entries: readonly LaneEntry[]): Promise<void> | void => {
    const last = entries.at(-1);
    if (last?.event.type !== "turn-end") return take(entries);
    end = last;
    return entries.length > 1 ? take(entries.slice(0, -1)) : undefined;
  };
  let said: readonly string[] = [];
  try {
    await run(Object.assign(withoutEnd, { more: take.more }));
  } finally {
    said = await close();
  }
  await take([...said.map((words) => ({ event: sandboxNotice(words) })), ...(end === undefined ? [] : [end])]);
}
