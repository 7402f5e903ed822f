import { REDACTED } from "./redacted.ts";

export const privateKeyTrigger = "PRIVATE KEY";

const marker = /-----(BEGIN|END) [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
/** A key whose end is missing, because the text was cut. */
const unfinishedBody = /(?:\\+[nr]|[A-Za-z0-9+/=\s]){40,}/y;

/** Redact the blocks in which private keys are written down. One look at each marker, so the time is linear. */
export function redactPrivateKeys(text: string): string {
  if (!text.includes(privateKeyTrigger)) return text;
  let redacted = "";
  let done = 0;
  let opened: RegExpExecArray | undefined;
  const take = (from: number, to: number): void => {
    redacted += text.slice(done, from) + REDACTED;
    done = to;
  };
  const takeUnfinished = ({ index, 0: { length } }: RegExpExecArray): void => {
    unfinishedBody.lastIndex = index + length;
    if (unfinishedBody.test(text)) take(index, unfinishedBody.lastIndex);
  };
  for (const found of text.matchAll(marker)) {
    if (found[1] === "BEGIN") {
      if (opened !== undefined) takeUnfinished(opened);
      opened = found;
    } else if (opened !== undefined) {
      take(opened.index, found.index + found[0].length);
      opened = undefined;
    }
  }
  if (opened !== undefined) takeUnfinished(opened);
  return redacted + text.slice(done);
}
