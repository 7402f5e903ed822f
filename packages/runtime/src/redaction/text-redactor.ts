import type { Secret } from "@caret/protocol";
import { credentialTriggers, redactCredentials } from "./credential-patterns.ts";
import { createKnownSecrets } from "./known-secrets.ts";
import { REDACTED } from "./redacted.ts";
import { toLiteral } from "./to-literal.ts";
import { tokenPatterns, unfinishedToken } from "./token-patterns.ts";

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
  const beginnings = tokenPatterns.flatMap((token) => token.beginnings);
  const triggers = [...known.forms, ...beginnings, ...credentialTriggers];
  // One pass decides for nearly every text that there is nothing to do.
  const suspicious = new RegExp(triggers.map(toLiteral).join("|"), "i");

  return {
    redactText(text) {
      if (!suspicious.test(text)) return text;
      let redacted = known.redact(text);
      for (const { pattern, beginnings } of tokenPatterns)
        if (beginnings.some((beginning) => redacted.includes(beginning)))
          redacted = redacted.replace(pattern, REDACTED);
      return redactCredentials(redacted);
    },

    heldFrom(text) {
      if (!suspicious.test(text)) return known.unfinishedFrom(text);
      const from = known.heldFrom(text);
      return Math.min(from, unfinishedToken.exec(text)?.index ?? from);
    },

    isPlain: (text) => !suspicious.test(text) && known.unfinishedFrom(text) === text.length,
  };
}
