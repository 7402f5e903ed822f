import { isText, shownPath } from "../../git/byte-path.ts";
import { type RunIn, readHead } from "./repository-state.ts";

/** Whether HEAD leads outside where it led inside, now. It is moved only from where the turn found it. */
export async function bringHead(outside: RunIn, before: string, after: string): Promise<boolean> {
  const now = await readHead(outside);
  if (now === after) return true;
  if (now !== before) return false;
  const branch = /^ref: (refs\/heads\/.+)$/.exec(after)?.[1];
  const why = ["-m", "caret: a sandboxed turn"];
  if (branch !== undefined && isText(branch)) await outside(["symbolic-ref", ...why, "HEAD", shownPath(branch)]);
  else if (/^[0-9a-f]{40,64}$/.test(after)) await outside(["update-ref", "--no-deref", ...why, "HEAD", after]);
  else return false;
  return true;
}
