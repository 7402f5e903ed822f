import { REDACTED } from "./redacted.ts";
import { toLiteral } from "./to-literal.ts";

/** Shorter values are too likely to be a part of ordinary words. */
const MIN_SECRET_LENGTH = 6;

const MIN_ENCODED_LENGTH = 8;

/** `Bearer` and the like stand before a secret in its header, and need not elsewhere. */
const SCHEME = /^(?:bearer|basic|token|apikey)\s+/i;

interface KnownSecrets {
  /** Every spelling of every secret, longest first. */
  readonly forms: readonly string[];
  redact(text: string): string;
  /** Every whole spelling in the text, as `redact` takes them out. */
  find(text: string): readonly Span[];
  /** Where a possible beginning of a spelling stands at the end of the text, inside none of those found; its length when there is none. */
  unfinishedFrom(text: string, found?: readonly Span[]): number;
}

/** Where a whole spelling stands. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where the spelling begins that this place is in the middle of; the place itself when it is in none. */
export function outside(found: readonly Span[], at: number): number {
  return found.find(({ from, to }) => from < at && at < to)?.from ?? at;
}

export function createKnownSecrets(secrets: readonly string[]): KnownSecrets {
  const forms = [...new Set(secrets.flatMap(secretForms))].sort((one, other) => other.length - one.length);
  const longest = forms[0]?.length ?? 0;
  const byFirst = groupByFirst(forms);
  // An alternative that comes first wins, so the longest spelling is replaced whole.
  const pattern = forms.length === 0 ? undefined : new RegExp(forms.map(toLiteral).join("|"), "g");

  function isUnfinished(text: string, from: number): boolean {
    for (const form of byFirst.get(text.charCodeAt(from)) ?? []) if (endsWithBeginning(text, from, form)) return true;
    return false;
  }

  /** What begins inside a whole spelling is none; what begins before it may be a longer one around it. */
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

/** Compared by hand because it runs for every delta: nearly always the second character decides. */
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
 * The spellings under which a secret may turn up: itself, escaped in JSON once and twice, URL-encoded, in hex, and in
 * base64 at each of the three byte alignments. Longest first, without repetition.
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
  // A lone surrogate cannot be URL-encoded, so it cannot turn up that way either.
  if (/\p{Surrogate}/u.test(secret)) return [];
  const form = encodeURIComponent(secret);
  const lowerCase = form.replace(/%[0-9A-F]{2}/gu, (byte) => byte.toLowerCase());
  return [form, lowerCase, form.replaceAll("%20", "+"), encodeURI(secret)];
}

/** The characters that are the same whatever stands before and after the secret. */
function base64Cores(secret: string, offset: number): readonly string[] {
  const bytes = Buffer.from(secret);
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const start = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  const core = text.slice(start, end);
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}
