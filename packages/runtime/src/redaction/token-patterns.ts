import { looksRandom } from "./looks-secret.ts";
import { REDACTED } from "./redacted.ts";

/** Characters after a token's beginning. */
type Body = "letters" | "dashed" | "dotted";

interface TokenKind {
  /** The issuer. */
  readonly of: string;
  readonly beginnings: readonly string[];
  readonly body: Body;
  /** Minimum characters after the beginning. */
  readonly min: number;
  /** An additional check, where prose or a CSS class could look the same. */
  readonly check?: (body: string) => boolean;
}

const characters: Readonly<Record<Body, string>> = { letters: "[A-Za-z0-9]", dashed: "[\\w-]", dotted: "[\\w.-]" };

const hasDigit = (body: string): boolean => /\d/.test(body);
/** Excludes snake and kebab case names: one part must mix letters and digits, or be longer than any word. */
const isGenerated = (body: string): boolean =>
  body
    .split(/[_.-]/)
    .some((part) => part.length >= 24 || (part.length >= 10 && hasDigit(part) && /[A-Za-z]/.test(part)));
const isMixed = (body: string): boolean => (hasDigit(body) && /[A-Z]/.test(body)) || isGenerated(body);
/** `header.claims.signature`, and other values with as many long parts. */
const hasParts =
  (count: number, length: number) =>
  (body: string): boolean =>
    body.split(".").filter((part) => part.length >= length).length >= count;

/** Tokens recognisable by themselves: a known prefix followed by a run of characters. */
const kinds: readonly TokenKind[] = [
  {
    of: "Caret",
    beginnings: ["caret_"],
    body: "dashed",
    min: 40,
    check: (body) => /[A-Z]/.test(body) || isGenerated(body),
  },
  { of: "Cursor", beginnings: ["key_", "crsr_"], body: "letters", min: 20, check: isGenerated },
  { of: "OpenAI, Anthropic, OpenRouter", beginnings: ["sk-"], body: "dashed", min: 16, check: isMixed },
  {
    of: "other model services",
    beginnings: ["hf_", "gsk_", "r8_", "pplx-", "xai-", "fw_", "tvly-", "lsv2_pt_", "lsv2_sk_", "api_org_"],
    body: "dashed",
    min: 20,
    check: isGenerated,
  },
  {
    of: "GitHub",
    beginnings: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    body: "letters",
    min: 36,
  },
  { of: "GitHub", beginnings: ["github_pat_"], body: "dashed", min: 22 },
  {
    of: "GitLab",
    beginnings: [
      ...["glpat-", "glrt-", "glrtr-", "gldt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-"],
      ...["glffct-", "glwt-"],
    ],
    body: "dotted",
    min: 20,
  },
  {
    of: "Stripe and others that sell",
    beginnings: [
      ...["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "shpat_", "shpca_", "shppa_", "shpss_"],
      ...["sq0atp-", "sq0csp-", "rzp_live_", "rzp_test_"],
    ],
    body: "dashed",
    min: 16,
    check: isGenerated,
  },
  { of: "SendGrid", beginnings: ["SG."], body: "dotted", min: 40, check: hasParts(2, 16) },
  { of: "senders of mail", beginnings: ["re_", "xkeysib-", "key-"], body: "dashed", min: 24, check: isGenerated },
  { of: "DigitalOcean", beginnings: ["dop_v1_", "doo_v1_", "dor_v1_"], body: "letters", min: 40 },
  { of: "Docker", beginnings: ["dckr_pat_", "dckr_oat_"], body: "dashed", min: 20 },
  { of: "PyPI", beginnings: ["pypi-"], body: "dashed", min: 50, check: isGenerated },
  {
    of: "other package registries",
    beginnings: ["npm_", "rubygems_"],
    body: "letters",
    min: 32,
    check: isMixed,
  },
  {
    of: "Slack",
    beginnings: ["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
    body: "dotted",
    min: 20,
  },
  { of: "Google", beginnings: ["ya29.", "GOCSPX-", "1//0"], body: "dotted", min: 20 },
  { of: "Google", beginnings: ["AIza"], body: "dashed", min: 35 },
  {
    of: "AWS",
    beginnings: ["AKIA", "ASIA", "ABIA", "ACCA"],
    body: "letters",
    min: 16,
    check: (body) => body.length === 16 && !/[a-z]/.test(body),
  },
  { of: "age", beginnings: ["AGE-SECRET-KEY-1"], body: "letters", min: 40 },
  { of: "Twilio", beginnings: ["SK"], body: "letters", min: 32, check: (body) => /^[0-9a-f]{32}$/.test(body) },
  {
    of: "Databricks",
    beginnings: ["dapi"],
    body: "dashed",
    min: 32,
    check: (body) => /^[0-9a-f]{32}(-\d)?$/.test(body),
  },
  {
    of: "HashiCorp and Doppler",
    beginnings: ["hvs.", "hvb.", "hvr.", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa."],
    body: "dotted",
    min: 20,
    check: isGenerated,
  },
  { of: "Notion", beginnings: ["secret_", "ntn_"], body: "letters", min: 40, check: isMixed },
  {
    of: "tools and hosts",
    beginnings: [
      ...["lin_api_", "lin_oauth_", "figd_", "ATATT3", "ATCTT3", "ATBB", "glsa_", "glc_", "NRAK-", "PMAK-"],
      ...["pscale_tkn_", "pscale_pw_", "pul-", "sntrys_", "sntryu_", "sbp_", "sb_secret_", "nfp_", "fm2_", "tskey-"],
      ...["bkua_", "CCIPAT_", "HRKU-", "CFPAT-", "ops_", "AKCp", "pat-na1-", "pat-eu1-", "vercel_"],
    ],
    body: "dashed",
    min: 20,
    check: isGenerated,
  },
  { of: "anything with a JSON Web Token", beginnings: ["eyJ"], body: "dotted", min: 33, check: hasParts(3, 7) },
];

export interface TokenPattern {
  /** Every text it changes contains one of these: searching for them first is much faster. */
  readonly triggers: readonly string[];
  redact(text: string): string;
}

/**
 * A run is matched whole, however long, and examined once; the search continues after it. So the time is always linear. A beginning in the
 * middle of a word does not count.
 */
function toPattern({ beginnings, body, min, check = () => true }: TokenKind): TokenPattern {
  const pattern = new RegExp(`(?<![A-Za-z0-9])(${anyOf(beginnings)})(${characters[body]}{${min},})`, "g");
  return {
    triggers: beginnings,
    redact: (text) =>
      text.replace(pattern, (all: string, _beginning: string, run: string) => {
        // A full stop ends the sentence, not the token. Counted from the end: `\.*$` would be tried at each of many full stops.
        let end = run.length;
        while (run[end - 1] === ".") end -= 1;
        return check(run.slice(0, end)) ? REDACTED + run.slice(end) : all;
      }),
  };
}

function anyOf(texts: readonly string[]): string {
  return texts.map((text) => text.replaceAll(".", "\\.")).join("|");
}

/** What precedes a secret value, and how the value continues until its end arrives. */
export interface UnfinishedValue {
  readonly head: RegExp;
  readonly value: RegExp;
}

// The head is kept, so in a stream only the value must wait for its end.
const WEBHOOK = String.raw`hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\/\d{1,24}\/|\.webhook\.office\.com\/webhookb2\/`;
const TELEGRAM = String.raw`(?<![A-Za-z0-9])\d{8,10}:AA`;
const AZURE_CLIENT = String.raw`(?<![\w~.-])[\w~.-]{3}\dQ~`;

export const unfinishedTokenValues: readonly UnfinishedValue[] = [
  { head: new RegExp(WEBHOOK, "g"), value: /[\w@/-]+$/y },
  { head: new RegExp(TELEGRAM, "g"), value: /[\w-]+$/y },
  { head: new RegExp(AZURE_CLIENT, "g"), value: /[\w~.-]+$/y },
];

function afterHead(triggers: readonly string[], head: string, value: string): TokenPattern {
  const pattern = new RegExp(`(${head})${value}`, "g");
  return { triggers, redact: (text) => text.replace(pattern, `$1${REDACTED}`) };
}

/** Secrets recognised by what surrounds them or by their inner structure. */
const others: readonly TokenPattern[] = [
  // The URL alone allows posting.
  afterHead(["hooks.slack.com/", "/api/webhooks/", ".webhook.office.com/"], WEBHOOK, String.raw`[\w@/-]{20,}`),
  // A Telegram bot token: its number, which is not secret, and 35 characters that begin with AA.
  afterHead([":AA"], TELEGRAM, String.raw`[\w-]{33}(?![\w-])`),
  // An Azure client secret; Azure also shows its first characters in lists.
  afterHead(["Q~"], AZURE_CLIENT, String.raw`[\w~.-]{31,34}(?![\w~.-])`),
  {
    // An Azure account key: 64 bytes. A digest in a lockfile is as long, but preceded by its algorithm and a dash.
    triggers: ["=="],
    redact: (text) =>
      text.replace(/(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{86}==(?!=)/g, (all: string) =>
        looksRandom(all) ? REDACTED : all,
      ),
  },
];

export const tokenPatterns: readonly TokenPattern[] = [...kinds.map(toPattern), ...others];
/** Substrings of which a string must contain one to hold a token without a known prefix. */
export const otherTriggers: readonly string[] = others.flatMap(({ triggers }) => triggers);

/** The exact beginnings of tokens. */
export const tokenBeginnings: readonly string[] = kinds.flatMap(({ beginnings }) => beginnings);
const unfinishedBeginnings: ReadonlySet<string> = new Set(
  tokenBeginnings.flatMap((text) => Array.from(text, (_, index) => text.slice(0, index + 1))),
);
/** Matches wherever a token may begin. */
export const begun = new RegExp(`(?<![A-Za-z0-9])(?:${anyOf(tokenBeginnings)})`);
const longestBeginning = Math.max(...tokenBeginnings.map(({ length }) => length));
/** Longer runs are not tokens. Web tokens that list a user's groups have some thousand characters. */
export const MAX_HELD = 8_192;
const inRun = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/")
  inRun[character.charCodeAt(0)] = 1;

/** Start of a token, or of a partial beginning, whose end has not arrived yet; the text's length if none. */
export function unfinishedTokenFrom(text: string, settledTo = 0): number {
  let start = text.length;
  const least = Math.max(settledTo, text.length - MAX_HELD);
  while (start > least && inRun[text.charCodeAt(start - 1)] === 1) start -= 1;
  if (start === text.length) return start;
  const run = text.slice(start);
  const at = begun.exec(run)?.index ?? -1;
  if (at >= 0) return start + at;
  return start + unfinishedBeginningIn(run);
}

/** Position of an incomplete beginning; the run's length if there is none. */
function unfinishedBeginningIn(run: string): number {
  for (let from = Math.max(0, run.length - longestBeginning + 1); from < run.length; from += 1)
    if ((from === 0 || !isLetter(run.charCodeAt(from - 1))) && unfinishedBeginnings.has(run.slice(from))) return from;
  return run.length;
}

function isLetter(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** Length of an Azure account key (no prefix), and the shortest run treated as one. */
const ACCOUNT_KEY = 88;
const MIN_ACCOUNT_KEY = 32;
const inKey = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=")
  inKey[character.charCodeAt(0)] = 1;

/** Start of a run at the end of the text that may become an account key; the text's length if none. */
export function unfinishedAccountKeyFrom(text: string, before: string): number {
  const inText = keyRunOf(text);
  const length = inText === text.length ? inText + keyRunOf(before) : inText;
  return inText === 0 || length < MIN_ACCOUNT_KEY || length > ACCOUNT_KEY ? text.length : text.length - inText;
}

/** Number of key characters at the end, counted no further than a key is long. */
function keyRunOf(text: string): number {
  const least = Math.max(0, text.length - ACCOUNT_KEY - 1);
  let start = text.length;
  while (start > least && inKey[text.charCodeAt(start - 1)] === 1) start -= 1;
  return text.length - start;
}
