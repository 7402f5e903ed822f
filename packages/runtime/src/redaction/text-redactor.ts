import type { Secret } from "@caret/protocol";
import { credentialTriggers, redactCredentials } from "./credential-patterns.ts";
import { createKnownSecrets } from "./known-secrets.ts";
import { REDACTED } from "./redacted.ts";
import { toLiteral } from "./to-literal.ts";
import { begun, otherTriggers, tokenPatterns, unfinishedTokenFrom } from "./token-patterns.ts";

const privateKeyTrigger = "PRIVATE KEY";

const marker = /-----(BEGIN|END) [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;

/** A key whose end is missing, because the text was cut. */
const unfinishedBody = /(?:\\+[nr]|[A-Za-z0-9+/=\s]){40,}/y;

export interface TextRedactor {
  redactText(text: string): string;
  /**
   * Where the part of an unfinished text begins that could be the beginning of a secret; the text's length when there
   * is none. What stands before it can be redacted and let go, the rest has to wait for what follows.
   */
  heldFrom(text: string): number;
  /** Nothing to redact and nothing to hold. The answer for nearly every delta, so it is quick. */
  isPlain(text: string): boolean;
}

/** Known values first, in every spelling; then what looks like a secret by itself or by where it stands. */
export function createTextRedactor(secrets: readonly Secret[]): TextRedactor {
  const known = createKnownSecrets(secrets.map((secret) => secret.reveal()));
  const triggers = [...known.forms, privateKeyTrigger, ...otherTriggers, ...credentialTriggers];
  const triggered = new RegExp(triggers.map(toLiteral).join("|"), "i");
  // Two passes decide for nearly every text that there is nothing to do.
  const isSuspicious = (text: string): boolean => triggered.test(text) || begun.test(text);

  return {
    redactText(text) {
      if (!isSuspicious(text)) return text;
      let redacted = redactPrivateKeys(known.redact(text));
      for (const pattern of tokenPatterns)
        if (pattern.triggers.some((trigger) => redacted.includes(trigger))) redacted = pattern.redact(redacted);
      return redactCredentials(redacted);
    },

    heldFrom(text) {
      // The end of a known secret may look like a beginning, and must not be cut off from it.
      const settledTo = triggered.test(text) ? known.settledTo(text) : 0;
      return Math.min(known.unfinishedFrom(text, settledTo), unfinishedTokenFrom(text, settledTo));
    },

    isPlain: (text) =>
      !isSuspicious(text) && known.unfinishedFrom(text) === text.length && unfinishedTokenFrom(text) === text.length,
  };
}

/** Redact the blocks in which private keys are written down. One look at each marker, so the time is linear. */
function redactPrivateKeys(text: string): string {
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
