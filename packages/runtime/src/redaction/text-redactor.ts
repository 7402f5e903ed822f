import type { Secret } from "@caret/protocol";
import { credentialTriggers, redactCredentials, unfinishedCredentialFrom } from "./credential-patterns.ts";
import { createKnownSecrets, outside } from "./known-secrets.ts";
import { REDACTED } from "./redacted.ts";
import { createTextSearch } from "./search-long-text.ts";
import { toLiteral } from "./to-literal.ts";
import {
  begun,
  MAX_HELD,
  otherTriggers,
  tokenBeginnings,
  tokenPatterns,
  unfinishedAccountKeyFrom,
  unfinishedTokenFrom,
} from "./token-patterns.ts";

const privateKeyTrigger = "PRIVATE KEY";

const marker = /-----(BEGIN|END) [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;

/** A key without its end, because the text was cut. */
const unfinishedBody = /(?:\\+[nr]|[A-Za-z0-9+/=\s]){40,}/y;

/** Longer than any private key: anything beyond is not a key and is released. */
const MAX_KEY = 64 * 1024;

/** The start of a key's first line, or of its end marker, possibly cut anywhere. */
const unfinishedMarker = /-{1,5}(?:B(?:E(?:G(?:I(?:N(?: [A-Z0-9 ]{0,50}-{0,4})?)?)?)?)?)?$/;
const MARKER_LENGTH = 80;

/**
 * Overlap: emitted characters re-scanned together with the next chunk. A secret's name precedes it, in at most as many words as
 * `Authorization: Bearer` has, including surrounding space.
 */
const CONTEXT_WORDS = 4;
const CONTEXT_CHARACTERS = 300;

export interface TextRedactor {
  redactText(text: string): string;
  /** The same for text that continues an already redacted piece; `before` is the end of that. */
  redactAfter(before: string, text: string): string;
  /**
   * Start of the part of an unfinished text that could begin a secret; the text's length if none. Everything before can be redacted and
   * released, the rest must wait for more.
   */
  heldFrom(text: string, before: string): number;
  /** Nothing to redact and nothing to hold. The case for nearly every delta, so it is fast. */
  isPlain(text: string, before: string): boolean;
}

/** The part to keep as `before` of text that continues. */
export function contextOf(before: string, redacted: string): string {
  const text = before + redacted;
  const least = Math.max(0, text.length - CONTEXT_CHARACTERS);
  let start = text.length;
  for (let words = 0; start > least; start -= 1) {
    const isEdge = isSpace(text.charCodeAt(start - 1)) && !isSpace(text.charCodeAt(start));
    if (isEdge && ++words === CONTEXT_WORDS) break;
  }
  return text.slice(start);
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Known values first, in every spelling; then values that look secret by themselves or by context. */
export function createTextRedactor(secrets: readonly Secret[]): TextRedactor {
  const known = createKnownSecrets(secrets.map((secret) => secret.reveal()));
  const triggers = [...known.forms, privateKeyTrigger, ...otherTriggers, ...credentialTriggers];
  const triggered = new RegExp(triggers.map(toLiteral).join("|"), "i");
  // For nearly every text, two passes show that there is nothing to do.
  const isSuspicious = createTextSearch([triggered, begun], [...triggers, ...tokenBeginnings]);

  const redactText = (text: string): string => {
    if (!isSuspicious(text)) return text;
    let redacted = redactPrivateKeys(known.redact(text));
    for (const pattern of tokenPatterns)
      if (pattern.triggers.some((trigger) => redacted.includes(trigger))) redacted = pattern.redact(redacted);
    return redactCredentials(redacted);
  };

  const redactAfter = (before: string, text: string): string => {
    if (before === "") return redactText(text);
    const whole = redactText(before + text);
    if (whole.startsWith(before)) return whole.slice(before.length);
    // `before` became a secret by itself once its own beginning was gone, or a secret begins in it.
    const redacted = redactText(before);
    return whole.slice(whole.startsWith(redacted) ? redacted.length : sameLength(whole, before));
  };

  /**
   * Position at or before `end` where the text can be cut: what may begin a secret may also be the end of a complete one, which must stay
   * whole.
   */
  const uncutFrom = (whole: string, end: number): number => {
    // Look back no further than a secret is long: an endless run would be held whole, and re-read with every word.
    const skipped = Math.max(0, end - MAX_HELD);
    const [text, at] = [whole.slice(skipped), end - skipped];
    const redacted = redactText(text);
    const part = redactText(text.slice(0, at));
    const isUncut = redacted === part + redactAfter(contextOf("", part), text.slice(at));
    return skipped + (isUncut ? at : Math.min(at, sameLength(redacted, text)));
  };

  return {
    redactText,
    redactAfter,

    heldFrom(text, before) {
      const found = triggered.test(text) ? known.find(text) : [];
      const ofToken = Math.min(known.unfinishedFrom(text, found), unfinishedTokenFrom(text, found.at(-1)?.to));
      const whole = before + text;
      const suspicious = isSuspicious(whole);
      const ofName = suspicious ? Math.max(0, unfinishedCredentialFrom(whole) - before.length) : text.length;
      // The inside of a known secret may look like a beginning and must not be cut off from it.
      const ofKey = Math.min(unfinishedKeyFrom(text), unfinishedAccountKeyFrom(text, before));
      const from = outside(found, Math.min(ofToken, ofName, ofKey));
      return suspicious && from > 0 && from < text.length
        ? Math.max(0, uncutFrom(whole, before.length + from) - before.length)
        : from;
    },

    isPlain: (text, before) =>
      !isSuspicious(before + text) &&
      known.unfinishedFrom(text) === text.length &&
      unfinishedTokenFrom(text) === text.length &&
      unfinishedKeyFrom(text) === text.length &&
      unfinishedAccountKeyFrom(text, before) === text.length,
  };
}

/** Length of their common prefix. */
function sameLength(one: string, other: string): number {
  let length = 0;
  while (one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** Start of a private key whose end has not arrived, or of what may be its first line; otherwise the text's length. */
function unfinishedKeyFrom(text: string): number {
  const last = text.includes(privateKeyTrigger) ? [...text.matchAll(marker)].at(-1) : undefined;
  if (last?.[1] === "BEGIN" && text.length - last.index <= MAX_KEY) return last.index;
  // The dashes that end a key do not begin another one.
  const settledTo = last === undefined ? 0 : last.index + last[0].length;
  const tail = text.slice(Math.max(settledTo, text.length - MARKER_LENGTH));
  const at = tail.includes("-") ? (unfinishedMarker.exec(tail)?.index ?? tail.length) : tail.length;
  return text.length - tail.length + at;
}

/** Redacts private key blocks. Each marker is examined once, so the time is linear. */
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
