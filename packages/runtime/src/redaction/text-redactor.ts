import type { Secret } from "@caret/protocol";
import { credentialTriggers, redactCredentials } from "./credential-patterns.ts";
import { createKnownSecrets } from "./known-secrets.ts";
import { privateKeyTrigger, redactPrivateKeys } from "./private-keys.ts";
import { toLiteral } from "./to-literal.ts";
import { begun, otherTriggers, tokenPatterns, unfinishedTokenFrom } from "./token-patterns.ts";

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
