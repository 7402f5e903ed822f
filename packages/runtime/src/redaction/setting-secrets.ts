import { Secret } from "@caret/protocol";
import { isPlaceholder, looksRandom } from "./looks-secret.ts";
import { createTextRedactor } from "./text-redactor.ts";

/** Name endings of settings whose value is a credential: `GITHUB_TOKEN`, `x-api-key`, `authorization`, `cookie`. */
const credentialName =
  /(?:pass(?:word|wd|phrase|code)|pwd|secret|token|credentials?|authorization|cookie|bearer|jwt|(?:api|access|account|private|signing|encryption|master|client|secret|service|license)[_-]?key|(?:^|[_-])(?:pass|auth|pat|key))$/i;
/** `key`, `auth`: many such settings are harmless, so their value must look generated. */
const vagueName = /(?:^|[_-])(?:pass|auth|pat|key)$/i;
/** A public key is not secret. */
const publicName = /public[_-]?key$/i;
const MIN_LENGTH = 6;
/** Characters that ordinary settings do not contain. */
const UNUSUAL = /[!?"'#$%^&*+~|<>`\\]/g;
const address = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The secret values among settings (environment variables, headers): recognised by name or appearance. */
export function secretsAmong(settings: Readonly<Record<string, string>>): readonly Secret[] {
  return Object.entries(settings)
    .filter(([name, value]) => isSecretSetting(name, value))
    .map(([, value]) => new Secret(value));
}

/**
 * Its results are searched for in everything that is kept, so an ordinary value must never qualify: `production`, `application/json`, a
 * path, a number, an address. Next to its name even a word is redacted, by the redactor's patterns.
 */
function isSecretSetting(name: string, value: string): boolean {
  const text = value.trim();
  if (text.length < MIN_LENGTH || isPlaceholder(text) || isOrdinary(text)) return false;
  if (looksLikeToken(text) || looksLikePassword(text)) return true;
  const isNamed = credentialName.test(name) && !publicName.test(name);
  if (isPath(text)) return isNamed && looksRandom(text);
  return looksRandom(text) || (isNamed && (!vagueName.test(name) || /\d/.test(text)));
}

/** A word, a number, a media type, an address without a login: not secret, whatever the setting's name. */
function isOrdinary(text: string): boolean {
  if (/^[A-Za-z]{1,20}$/.test(text) || /^[\d.,:]{1,11}$/.test(text)) return true;
  if (/^[a-z]+\/[a-z0-9.+*-]+(?:\s*[;,].*)?$/i.test(text)) return true;
  return address.test(text) && !looksLikeToken(text);
}

function isPath(text: string): boolean {
  return /^(?:~|\.{1,2})?\/[\w./@ -]*$/.test(text);
}

const patterns = createTextRedactor([]);

/** What the redactor recognises anywhere needs no name. */
function looksLikeToken(text: string): boolean {
  return patterns.redactText(text) !== text;
}

/** A likely secret: long, with several kinds of characters. */
function looksLikePassword(text: string): boolean {
  const unusual = new Set(text.match(UNUSUAL));
  return text.length >= 10 && unusual.size >= 3 && /[A-Za-z]/.test(text) && !address.test(text);
}
