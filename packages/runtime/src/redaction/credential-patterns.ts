import { trimEndOf } from "@caret/protocol";
import { isPlaceholder, looksSecret } from "./looks-secret.ts";
import { REDACTED } from "./redacted.ts";
import { type UnfinishedValue, unfinishedTokenValues } from "./token-patterns.ts";

/** Substrings (lower case) of which a string must contain at least one to be examined further. */
export const credentialTriggers: readonly string[] = [
  "bearer",
  "authorization",
  "passw",
  "passphrase",
  "pwd",
  "token",
  "secret",
  "apikey",
  "api_key",
  "api-key",
  "accesskey",
  "access_key",
  "access-key",
  "accountkey",
  "account_key",
  "account-key",
  "privatekey",
  "private_key",
  "private-key",
  "key=",
  "_key",
  "_auth",
  "sig=",
  "signature=",
  "auth=",
  "://",
];

const QUOTE = String.raw`\\{0,4}["']`;
/** Endings of names whose value is secret. Plurals are excluded: they count tokens. */
const NAME =
  "password|passwd|passphrase|pwd|token|secret|(?:api|access|account|private)[_-]?key|(?<=[A-Z0-9]_)KEY|(?<=[:_])_auth";
const SEPARATOR = String.raw`(?:${QUOTE})?\s{0,4}(?:=>|[:=])\s{0,4}`;
/**
 * A character within quotes, possibly escaped by a backslash. A backslash is literal only before the closing quote, as in `"C:\"`, or at
 * the end of a line: allowing it anywhere would double the ways to parse the text with each one, and all are tried if the closing quote is
 * missing.
 */
const IN_QUOTES = String.raw`(?!\k<quote>)(?:\\.|\\(?=\k<quote>)|\\(?!.)|[^\r\n\\])`;
const QUOTED = String.raw`(?<quote>${QUOTE})(?<literal>(?:${IN_QUOTES}){1,4096})(?=\k<quote>)`;
/** Matches to the end, however long: each run is examined once, and the search continues after it. */
const BARE = String.raw`(?<bare>[^\s"'\\,;&(){}[\]<>]+)`;

const assignment = new RegExp(`(?<name>${NAME})(?<separator>${SEPARATOR})(?:${QUOTED}|${BARE})`, "gi");
const query = new RegExp(
  String.raw`([?&](?:[\w-]{0,64}?(?:${NAME}|signature|sig)|key|auth)=)([^&#\s"'\\]{6,4096})`,
  "gi",
);
const authorization = new RegExp(
  String.raw`(authorization${SEPARATOR}(?:${QUOTE})?(?:basic|bearer|token)\s{1,4})([\w.~+/=:-]{6,8192})`,
  "gi",
);
const bearer = /((?<![\w-])bearer\s{1,4})((?=[\w.~+/=-]{0,256}\d)[\w.~+/=-]{12,8192})/gi;
const userInfo = /(:\/\/[^\s/:@"'`\\]{0,256}:)([^\s/@"'`\\]{1,512})(?=@)/g;

/** Redacts values that are secret because of their name or context. */
export function redactCredentials(text: string): string {
  let redacted = text;
  for (const pattern of [authorization, bearer, userInfo, query])
    redacted = redacted.replace(pattern, (all: string, head: string, value: string) =>
      isPlaceholder(value) ? all : head + REDACTED,
    );
  return redacted.replace(assignment, (all: string, ...rest: unknown[]) => redactAssignment(all, rest));
}

interface AssignmentGroups {
  readonly name: string;
  readonly separator: string;
  readonly quote?: string;
  readonly literal?: string;
  readonly bare?: string;
}

function redactAssignment(all: string, rest: readonly unknown[]): string {
  const [offset, text, groups] = rest.slice(-3) as [number, string, AssignmentGroups];
  const { name, separator, quote = "", literal, bare = "" } = groups;
  // In JSON a bare value is a number, a boolean or null, and must remain valid.
  if (literal === undefined && /["']/.test(separator)) return all;
  // `getToken(…)`, `tokens[…]`: code that fetches a value.
  if (literal === undefined && /^[([]/.test(text.slice(offset + all.length, offset + all.length + 1))) return all;
  const ahead = text.slice(Math.max(0, offset - 64), offset);
  const before = ahead.slice(trimEndOf(ahead, /[\w.-]/).length);
  const value = literal ?? bare;
  if (!looksSecret({ name: before + name, value, quoted: literal !== undefined })) return all;
  return name + separator + quote + REDACTED;
}

/** Longer than any value looked for. */
const MAX_VALUE = 8_192;

const unfinished: readonly UnfinishedValue[] = [
  ...unfinishedTokenValues,
  {
    head: new RegExp(`(?:${NAME})${SEPARATOR}`, "gi"),
    value: new RegExp(String.raw`(?:(?<quote>${QUOTE})(?:${IN_QUOTES})*|[^\s"'\\,;&(){}[\]<>]+)$`, "y"),
  },
  {
    head: new RegExp(String.raw`[?&](?:[\w-]{0,64}?(?:${NAME}|signature|sig)|key|auth)=`, "gi"),
    value: /[^&#\s"'\\]+$/y,
  },
  {
    head: new RegExp(
      String.raw`authorization${SEPARATOR}(?:${QUOTE})?(?:basic|bearer|token)\s{1,4}|(?<![\w-])bearer\s{1,4}`,
      "gi",
    ),
    value: /[\w.~+/=:-]+$/y,
  },
  { head: /:\/\/[^\s/:@"'`\\]{0,256}:/g, value: /[^\s/@"'`\\]+$/y },
];

/** Start of a value that is secret by name or context and whose end has not arrived; otherwise the text's length. */
export function unfinishedCredentialFrom(text: string): number {
  const skipped = Math.max(0, text.length - MAX_VALUE);
  const recent = text.slice(skipped);
  let first = recent.length;
  for (const { head, value } of unfinished) {
    head.lastIndex = 0;
    for (let found = head.exec(recent); found !== null && head.lastIndex < first; found = head.exec(recent)) {
      value.lastIndex = head.lastIndex;
      if (value.test(recent)) first = head.lastIndex;
      // The next head may overlap this one: `://a://b:`.
      else head.lastIndex = found.index + 1;
    }
  }
  return skipped + first;
}
