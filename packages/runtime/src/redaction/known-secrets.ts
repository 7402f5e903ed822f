import { REDACTED } from "./redacted.ts";
import { toLiteral } from "./to-literal.ts";

/** Shorter values are likely to occur within ordinary words. */
const MIN_SECRET_LENGTH = 6;

const MIN_ENCODED_LENGTH = 8;

/** A scheme such as `Bearer` precedes a secret in its header, but not necessarily elsewhere. */
const SCHEME = /^(?:bearer|basic|token|apikey)\s+/i;

interface KnownSecrets {
  /** Every spelling of every secret, longest first. */
  readonly forms: readonly string[];
  redact(text: string): string;
  /** Every complete spelling in the text, as `redact` removes them. */
  find(text: string): readonly Span[];
  /** Start of a possible incomplete spelling at the end of the text, outside those in `found`; its length if there is none. */
  unfinishedFrom(text: string, found?: readonly Span[]): number;
}

/** Position of a complete spelling. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Start of the spelling that contains this position; the position itself if there is none. */
export function outside(found: readonly Span[], at: number): number {
  return found.find(({ from, to }) => from < at && at < to)?.from ?? at;
}

export function createKnownSecrets(secrets: readonly string[]): KnownSecrets {
  const forms = [...new Set(secrets.flatMap(secretForms))].sort((one, other) => other.length - one.length);
  const longest = forms[0]?.length ?? 0;
  const byFirst = groupByFirst(forms);
  // The first alternative wins, so the longest spelling is replaced whole.
  const pattern = forms.length === 0 ? undefined : new RegExp(forms.map(toLiteral).join("|"), "g");

  function isUnfinished(text: string, from: number): boolean {
    for (const form of byFirst.get(text.charCodeAt(from)) ?? []) if (endsWithBeginning(text, from, form)) return true;
    return false;
  }

  /** A beginning inside a complete spelling does not count; one before it may be a longer spelling around it. */
  function unfinishedFrom(text: string, found: readonly Span[] = []): number {
    let from = Math.max(0, text.length - longest + 1);
    while (from < text.length && !(isUnfinished(text, from) && outside(found, from) === from)) from += 1;
    return Math.min(from, text.length);
  }

  return {
    forms,
    redact: (text) => (pattern === undefined ? text : text.replace(pattern, REDACTED)),
    find: (text) =>
      pattern === undefined
        ? []
        : Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({ from: index, to: index + length })),
    unfinishedFrom,
  };
}

/** Compared by hand because it runs for every delta: usually the second character decides. */
function endsWithBeginning(text: string, from: number, form: string): boolean {
  const length = text.length - from;
  if (form.length <= length) return false;
  for (let index = 1; index < length; index += 1)
    if (form.charCodeAt(index) !== text.charCodeAt(from + index)) return false;
  return true;
}

function groupByFirst(forms: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const groups = new Map<number, string[]>();
  for (const form of forms) {
    const first = form.charCodeAt(0);
    groups.set(first, [...(groups.get(first) ?? []), form]);
  }
  return groups;
}

/**
 * The spellings in which a secret may appear: plain, JSON-escaped once and twice, URL-encoded, in hex, and in base64 at each of the three
 * byte alignments. Longest first, without duplicates.
 */
function secretForms(value: string): readonly string[] {
  const secret = value.replace(SCHEME, "");
  if (secret.length < MIN_SECRET_LENGTH) return [];
  const hex = Buffer.from(secret).toString("hex");
  const encoded = [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((offset) => base64Cores(secret, offset))];
  const forms = [
    secret,
    escaped(secret),
    escaped(escaped(secret)),
    ...urlForms(secret),
    ...encoded.filter(({ length }) => length >= MIN_ENCODED_LENGTH),
  ];
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function urlForms(secret: string): readonly string[] {
  // A lone surrogate cannot be URL-encoded, so it cannot appear that way.
  if (/\p{Surrogate}/u.test(secret)) return [];
  const form = encodeURIComponent(secret);
  const lowerCase = form.replace(/%[0-9A-F]{2}/gu, (byte) => byte.toLowerCase());
  return [form, lowerCase, form.replaceAll("%20", "+"), encodeURI(secret)];
}

/** The characters that do not depend on what surrounds the secret. */
function base64Cores(secret: string, offset: number): readonly string[] {
  const bytes = Buffer.from(secret);
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const start = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  const core = text.slice(start, end);
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}
