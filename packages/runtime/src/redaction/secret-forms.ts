/** Shorter values are too likely to be a part of ordinary words. */
const MIN_SECRET_LENGTH = 6;
const MIN_ENCODED_LENGTH = 8;

/** `Bearer` and the like stand before a secret in its header, and need not elsewhere. */
const SCHEME = /^(?:bearer|basic|token|apikey)\s+/i;

/**
 * The spellings under which a secret may turn up: itself, escaped in JSON once and twice, URL-encoded, in hex, and in
 * base64 at each of the three places it can have among the other bytes. Longest first, without repetition.
 */
export function secretForms(value: string): readonly string[] {
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
